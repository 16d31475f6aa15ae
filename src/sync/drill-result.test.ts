import { expect, test } from 'vitest';
import type { DrillResult } from './contract.ts';
import { drillsIn, drillsWith } from './drill-result.ts';

const at = (day: number): DrillResult => ({
  at: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`,
  seconds: day,
  volumes: 1,
  claims: 1,
  succeeded: true,
});
const days = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => at(first + index));

test('a drill is added to those before, and the oldest go', () => {
  expect(drillsWith({}, at(1))).toEqual([at(1)]);
  expect(drillsWith({ drills: days(1, 10), lastDrill: at(10) }, at(11))).toEqual(days(2, 11));
});

test('one that is known is not added again, and says what it says now', () => {
  const again = { ...at(3), succeeded: false };
  expect(drillsWith({ drills: days(1, 3) }, again)).toEqual([at(1), at(2), again]);
});

test('one that is older than all of ten is none of the last ten', () => {
  expect(drillsWith({ drills: days(11, 20) }, at(1))).toEqual(days(11, 20));
});

test('the status of an older version knows the last drill, which is kept', () => {
  expect(drillsIn({ lastDrill: at(1) })).toEqual([at(1)]);
  expect(drillsWith({ lastDrill: at(1) }, at(2))).toEqual(days(1, 2));
  expect(drillsIn({})).toEqual([]);
});
