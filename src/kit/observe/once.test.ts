import { expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { once, onceEvery } from './once.ts';

it('says yes to each key once', () => {
  const isFirst = once();
  expect(['a', 'b', 'a', 'b', 'a'].map(isFirst)).toEqual([true, true, false, false, false]);
});

it('says yes to a key again after the pause, counted from the last yes', async () => {
  const clock = new VirtualClock();
  const isFirst = onceEvery(clock, 1000);
  expect(isFirst('a')).toBe(true);
  await clock.advance(999);
  expect(isFirst('a')).toBe(false);
  expect(isFirst('b')).toBe(true);
  await clock.advance(1);
  expect(isFirst('a')).toBe(true);
  expect(isFirst('b')).toBe(false);
});

it('forgets the oldest of very many keys instead of growing for ever', () => {
  const isFirst = once();
  for (let n = 0; n < 1001; n++) isFirst(`key-${n}`);
  expect(isFirst('key-1000')).toBe(false);
  expect(isFirst('key-0')).toBe(true);
});
