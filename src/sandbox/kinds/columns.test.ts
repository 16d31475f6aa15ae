import { expect, test } from 'vitest';
import { accessModes, humanDuration } from './columns.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [-5 * SECOND, '<invalid>'],
  [-1, '0s'],
  [119 * SECOND, '119s'],
  [2 * MINUTE, '2m'],
  [2 * MINUTE + SECOND, '2m1s'],
  [10 * MINUTE + SECOND, '10m'],
  [179 * MINUTE, '179m'],
  [3 * HOUR, '3h'],
  [7 * HOUR + 59 * MINUTE, '7h59m'],
  [47 * HOUR, '47h'],
  [2 * DAY, '2d'],
  [7 * DAY + 5 * HOUR, '7d5h'],
  [8 * DAY + 5 * HOUR, '8d'],
  [729 * DAY, '729d'],
  [800 * DAY, '2y70d'],
  [3000 * DAY, '8y'],
])('%i ms are told as %s', (ms, told) => {
  expect(humanDuration(ms)).toBe(told);
});

test('access modes are told in short, in one order', () => {
  expect(accessModes(['ReadWriteMany', 'ReadWriteOnce'])).toBe('RWO,RWX');
});
