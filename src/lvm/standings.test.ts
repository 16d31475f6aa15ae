import { expect, test } from 'vitest';
import { Standings } from './standings.ts';

test('what is not said anew about a volume stays as it was, until the volume is gone', () => {
  const standings = new Standings();
  standings.note({ volume: 'data', state: { is: 'ready' }, vg: 'fast', path: '/mnt/pv/data' });
  standings.note({ volume: 'data', state: { is: 'failed', why: 'no' } });
  expect(standings.values()).toEqual([
    { volume: 'data', state: { is: 'failed', why: 'no' }, vg: 'fast', path: '/mnt/pv/data' },
  ]);
  standings.delete('data');
  standings.note({ volume: 'data', state: { is: 'ready' } });
  expect(standings.get('data')).toEqual({ volume: 'data', state: { is: 'ready' } });
});
