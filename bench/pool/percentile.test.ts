import { expect, test } from 'vitest';
import { percentile } from './percentile.ts';

test('one of a hundred may be slower than the 99th percentile', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values, 99)).toBe(99);
});

test('of few values the 99th percentile is the highest', () => {
  expect(percentile([3, 9, 1], 99)).toBe(9);
});

test('of no values there is none', () => {
  expect(percentile([], 99)).toBeNaN();
});
