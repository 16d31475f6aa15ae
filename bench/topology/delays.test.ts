import { expect, test } from 'vitest';
import { meetsTarget } from '../measure/row.ts';
import { delayRows, quantile } from './delays.ts';

const upTo = (last: number) => Array.from({ length: last }, (_, index) => last - index);

test('a quantile is a value that was measured, and that so many are not above', () => {
  expect(quantile(upTo(200), 0.5)).toBe(100);
  expect(quantile(upTo(200), 0.99)).toBe(198);
  expect(quantile(upTo(200), 1)).toBe(200);
  expect(quantile([7], 0.99)).toBe(7);
  expect(quantile([], 0.99)).toBeNaN();
});

test('volumes that never got their labels miss the target, and so does a run without any', () => {
  const p99 = (delays: readonly number[]) => delayRows('a new volume', delays).find(({ target }) => target);
  expect(meetsTarget(p99([...upTo(197), Number.POSITIVE_INFINITY]) ?? never())).toBe(true);
  expect(meetsTarget(p99([...upTo(197), ...Array(3).fill(Number.POSITIVE_INFINITY)]) ?? never())).toBe(false);
  expect(meetsTarget(p99([]) ?? never())).toBe(false);
});

function never(): never {
  throw new Error('there is no row with a target');
}
