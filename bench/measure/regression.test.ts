import { expect, test } from 'vitest';
import { inWords, regressions } from './regression.ts';
import type { Row } from './row.ts';

const row = (ratio: number | undefined, figure = 'CPU time'): Row => ({
  what: 'list',
  figure,
  unit: 's',
  ours: 6,
  ...(ratio !== undefined && { ratio }),
});

test('a ratio that is more than a fifth above the recorded one is told', () => {
  const found = regressions([row(1.5)], [row(1.81)]);
  expect(found.map(inWords)).toEqual(['list: CPU time: 1.81× the limit, and 1.50× recorded, 21 % more']);
});

test('one that is less is not, nor one that has become better', () => {
  expect(regressions([row(1.5)], [row(1.79)])).toEqual([]);
  expect(regressions([row(1.5)], [row(0.5)])).toEqual([]);
});

test('of what is done in a second, less is worse and more is not', () => {
  const throughput = (ratio: number): Row => ({ ...row(ratio, 'throughput'), unit: 'MB/s' });
  expect(regressions([throughput(0.9)], [throughput(0.7)]).map(inWords)).toEqual([
    'list: throughput: 0.70× the limit, and 0.90× recorded, 22 % less',
  ]);
  expect(regressions([throughput(0.5)], [throughput(0.9)])).toEqual([]);
});

test('what has no ratio, or is new, is not compared', () => {
  expect(regressions([row(undefined)], [row(9)])).toEqual([]);
  expect(regressions([row(1)], [row(undefined)])).toEqual([]);
  expect(regressions([row(1)], [row(9, 'memory')])).toEqual([]);
});

test('a name that two benchmarks have does not tell which is meant', () => {
  expect(regressions([row(1), row(5)], [row(5), row(1)])).toEqual([]);
});
