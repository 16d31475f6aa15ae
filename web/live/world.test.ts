import { expect, test } from 'vitest';
import type { State, VolumeRow } from '../../src/console/model.ts';
import { withMessage } from './world.ts';

const aVolume = (name: string): VolumeRow => ({
  name,
  health: 'well',
  phase: 'Bound',
  capacityBytes: 1,
  source: 'device',
  createdAt: '2026-01-01T00:00:00Z',
});

const state: State = {
  overview: {
    at: '2026-01-01T00:00:00Z',
    verdict: { health: 'well', sentence: 'All 2 volumes are well.' },
    volumesByHealth: { well: 2, busy: 0, attention: 0, failed: 0, unknown: 0 },
    needs: [],
    activities: [],
    jobs: [],
    forecasts: [],
  },
  volumes: { a: aVolume('a'), b: aVolume('b') },
  nodes: {},
  pools: {},
  syncs: {},
};
const first = withMessage(undefined, { is: 'state', state });

test('a change before any state is nothing', () => {
  expect(withMessage(undefined, { is: 'change', change: {} })).toBeUndefined();
});

test('a change brings rows, takes rows away, and leaves the others as they were', () => {
  const next = withMessage(first, { is: 'change', change: { volumes: { a: null, c: aVolume('c') } } });
  expect([...(next?.volumes.keys() ?? [])]).toEqual(['b', 'c']);
  expect(next?.volumes.get('b')).toBe(first?.volumes.get('b'));
  expect(next?.nodes).toBe(first?.nodes);
  expect([...(first?.volumes.keys() ?? [])]).toEqual(['a', 'b']);
});

test('what nobody can say is kept until that is said anew', () => {
  expect(first?.unknown).toEqual({});
  const blind = withMessage(undefined, { is: 'state', state: { ...state, unknown: { nodes: 'no right' } } });
  expect(withMessage(blind, { is: 'change', change: {} })?.unknown).toEqual({ nodes: 'no right' });
  expect(withMessage(blind, { is: 'change', change: { unknown: {} } })?.unknown).toEqual({});
});

test('what is heard of the cluster is kept until it is said anew', () => {
  const connection = { isHeard: false, since: '2026-01-01T00:00:00Z', why: 'connection refused' };
  const deaf = withMessage(first, { is: 'connection', connection });
  expect(withMessage(deaf, { is: 'change', change: {} })?.connection).toEqual(connection);
  expect(withMessage(deaf, { is: 'state', state })?.connection).toEqual(connection);
  const heard = { isHeard: true, since: '2026-01-01T00:01:00Z' };
  expect(withMessage(deaf, { is: 'connection', connection: heard })?.connection).toEqual(heard);
});
