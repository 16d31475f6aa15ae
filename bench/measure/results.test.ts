import { expect, test } from 'vitest';
import type { Benchmark } from './group.ts';
import { page } from './results.ts';

const MACHINE = { cores: 2, cpu: 'a CPU', memoryGb: 8, platform: 'linux x64', node: 'v26.0.0', load: 0 };
const results = { group: 'one', date: '2026-01-01', machine: MACHINE, versions: {}, rounds: 3, rows: [] };
const benchmark = (name: string, once?: true): Benchmark => ({
  name,
  about: 'measures something.',
  ...(once && { isRunOnce: once }),
  run: async () => [],
});
const pageOf = (...benchmarks: readonly Benchmark[]) => page({ name: 'one', about: 'Something.', benchmarks }, results);

test('a page says of which benchmarks the figures are of one run', () => {
  expect(pageOf(benchmark('races'), benchmark('limits', true))).toContain(
    'each figure the median of 3 rounds (those of **limits** are of one run), on 2 cores',
  );
});

test('a page of which all benchmarks have rounds says nothing of that', () => {
  expect(pageOf(benchmark('races'))).toContain('each figure the median of 3 rounds, on 2 cores');
});
