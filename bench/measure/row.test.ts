import { expect, test } from 'vitest';
import { meetsTarget, type Row, renewed } from './row.ts';
import { table } from './table.ts';

const row = (more: Partial<Row>): Row => ({ what: 'list', figure: 'CPU time', unit: 's', ours: 6, ...more });

test('a ratio is judged by the ratio, and only with a limit beside it', () => {
  expect(meetsTarget(row({ ratio: 1.3, target: { ratioAtMost: 1.3 } }))).toBe(true);
  expect(meetsTarget(row({ ratio: 1.31, target: { ratioAtMost: 1.3 } }))).toBe(false);
  expect(meetsTarget(row({ target: { ratioAtMost: 1.3 } }))).toBe(false);
});

test('a bound is judged by our own figure', () => {
  expect(meetsTarget(row({ target: { oursAtMost: 6 } }))).toBe(true);
  expect(meetsTarget(row({ target: { oursAtMost: 5.9 } }))).toBe(false);
});

test('a figure that could not be taken meets no target', () => {
  expect(meetsTarget(row({ ours: Number.NaN, target: { oursAtMost: 6 } }))).toBe(false);
  expect(meetsTarget(row({ ratio: Number.NaN, target: { ratioAtMost: 2 } }))).toBe(false);
});

test('a row without a target is not judged', () => {
  expect(meetsTarget(row({}))).toBeUndefined();
});

test('the table shows limit, ratio and target, and marks what was missed', () => {
  const rows = [
    row({ limit: 4, ratio: 1.5, target: { ratioAtMost: 1.3 }, published: 12_345 }),
    row({ figure: 'peak memory', unit: 'MB', ours: 174.3, target: { oursAtMost: 200 } }),
  ];
  expect(table(rows).split('\n')).toEqual([
    '| what | figure      | limit |   ours | ours / limit |   target | published client |        |',
    '| ---- | ----------- | ----: | -----: | -----------: | -------: | ---------------: | ------ |',
    '| list | CPU time    |   4 s |    6 s |        1.50× |   ≤ 1.3× |         12,345 s | MISSED |',
    '| list | peak memory |       | 174 MB |              | ≤ 200 MB |                  | met    |',
  ]);
});

test('a figure that was measured once more takes the place of the one before, and says so; others stay', () => {
  const [cpu, memory] = [row({}), row({ figure: 'peak memory', unit: 'MB', ours: 100 })];
  const since = { date: '2026-01-02', rounds: 3, load: 0.5 };
  const disk = row({ figure: 'disk' });
  expect(renewed([cpu, memory], [row({ figure: 'peak memory', unit: 'MB', ours: 90 }), disk], since)).toEqual([
    cpu,
    { ...memory, ours: 90, since },
    { ...disk, since },
  ]);
});

test('a figure whose name two benchmarks have is not renewed by one of them', () => {
  const twice = [row({ ours: 1 }), row({ ours: 2 })];
  expect(renewed(twice, [row({ ours: 3 })], { date: '2026-01-02', rounds: 3, load: 0.5 })).toEqual(twice);
});
