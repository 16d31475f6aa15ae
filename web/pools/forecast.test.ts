import { expect, test } from 'vitest';
import { forecastLines } from './forecast.ts';

const START = Date.parse('2026-01-01T00:00:00Z') / 1000;
const at = (minute: number, usedBytes: number) => ({
  at: new Date((START + minute * 60) * 1000).toISOString(),
  usedBytes,
  capacityBytes: 100,
});
const history = [at(0, 10), at(60, 20)];

test('without a forecast there is what was, and no line beyond it', () => {
  const lines = forecastLines(history, undefined);
  expect(lines.at).toEqual([START, START + 3600]);
  expect(lines.projected).toEqual([null, null]);
  expect(lines.fullAt).toBeUndefined();
});

test('the line goes from what is used now to full', () => {
  const lines = forecastLines(history, 1800);
  expect(lines.at.at(-1)).toBe(START + 3600 + 1800);
  expect(lines.projected).toEqual([null, 20, 100]);
  expect(lines.capacity.at(-1)).toBe(100);
  expect(lines.used.at(-1)).toBeNull();
  expect(lines.fullAt).toBe(START + 5400);
});

test('a day that is far off does not squeeze what was: the line leaves the chart on its way', () => {
  const lines = forecastLines(history, 36_000);
  expect(lines.at.at(-1)).toBe(START + 7200);
  expect(lines.projected.at(-1)).toBe(28);
  expect(lines.fullAt).toBeUndefined();
});

test('without any sample there is no line at all', () => {
  expect(forecastLines([], 60).at).toEqual([]);
});

test('what is known at the first look, how full it is now and when it will be, is a chart already', () => {
  const lines = forecastLines([at(0, 10)], 1800);
  expect(lines.at).toEqual([START, START + 1800]);
  expect(lines.projected).toEqual([10, 100]);
});
