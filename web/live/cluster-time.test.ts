import { expect, test } from 'vitest';
import { SAME_TIME, timeThere, withTime } from './cluster-time.ts';

test('a clock that is right is not corrected for the way that news take', () => {
  const time = withTime(SAME_TIME, 99_000, 100_000);
  expect(timeThere(time, 105_000)).toBe(105_000);
});

test('a clock that is ahead is followed', () => {
  const time = withTime(SAME_TIME, 700_000, 100_000);
  expect(timeThere(time, 101_000)).toBe(701_000);
});

test('one that runs faster is, too, once that can be told', () => {
  const first = withTime(SAME_TIME, 700_000, 100_000);
  expect(withTime(first, 704_000, 101_000)).toBe(first);
  const second = withTime(first, 740_000, 110_000);
  expect(timeThere(second, 111_000)).toBe(744_000);
});

test('what is heard late, and what is no time, says nothing', () => {
  const time = withTime(SAME_TIME, 700_000, 100_000);
  expect(withTime(time, 600_000, 120_000)).toBe(time);
  expect(withTime(time, Number.NaN, 120_000)).toBe(time);
});

test('what was said long ago makes nothing younger than it is', () => {
  const time = withTime(SAME_TIME, 100_000, 3_700_000);
  expect(timeThere(time, 3_701_000)).toBe(3_701_000);
});

test('a clock that seems to run slower is only late', () => {
  const time = withTime(withTime(SAME_TIME, 700_000, 100_000), 705_000, 110_000);
  expect(time.rate).toBe(1);
});
