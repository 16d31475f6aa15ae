import { expect, test } from 'vitest';
import { type Figures, median, Runs } from './figures.ts';

const figures = (cpuSeconds: number, counts: Record<string, number> = {}): Figures => ({
  cpuSeconds,
  wallSeconds: 0,
  stallMs: 0,
  wallStallMs: 0,
  peakMb: 0,
  settledMb: 0,
  counts,
});

const runs = (...cpuSeconds: number[]) => new Runs(cpuSeconds.map((seconds) => ({ list: figures(seconds) })));
const cpu = (each: Figures) => each.cpuSeconds;

test('the median is the one in the middle, and between the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([1, 9, 3, 5])).toBe(4);
});

test('a contender is compared with the other in the same round, so that a slow machine slows both', () => {
  const limit = runs(1, 10, 2);
  const ours = runs(1.2, 12, 3);
  expect(ours.ratio(limit, 'list', cpu)).toBeCloseTo(1.2);
  expect(ours.median('list', cpu)).toBe(3);
});

test('a phase that was never measured is an error, not a figure', () => {
  expect(() => runs(1).median('watch', cpu)).toThrow('no phase "watch": it has list');
});

test('phases in a row add their times up, and have the highest peak among them', () => {
  const read = { ...figures(2, { objects: 7 }), wallSeconds: 4, peakMb: 90, settledMb: 80 };
  const label = { ...figures(3), wallSeconds: 5, peakMb: 70, settledMb: 60 };
  const both = new Runs([{ read, label }]).joining('both', ['read', 'label']);
  expect(both.median('both', cpu)).toBe(5);
  expect(both.median('both', ({ wallSeconds }) => wallSeconds)).toBe(9);
  expect(both.median('both', ({ peakMb }) => peakMb)).toBe(90);
  expect(both.median('both', ({ settledMb }) => settledMb)).toBe(60);
  expect(both.count('both', 'objects')).toBe(7);
  expect(both.median('read', cpu)).toBe(2);
});
