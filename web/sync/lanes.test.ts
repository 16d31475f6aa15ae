import { expect, test } from 'vitest';
import type { SyncMoment } from '../../src/console/model.ts';
import { beginOf, lanesOf } from './lanes.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const at = (minute: number, kind: SyncMoment['kind']): SyncMoment => ({
  at: new Date(NOW - (60 - minute) * 60_000).toISOString(),
  kind,
  what: kind,
  succeeded: true,
});

test('marks stand where their time is, between the first of them and now', () => {
  const lanes = lanesOf([at(0, 'export'), at(30, 'drill'), at(60, 'export')], NOW);
  expect(lanes.map(({ title, marks }) => [title, marks.map(({ x }) => x)])).toEqual([
    ['Exports', [0, 1]],
    ['Drills', [0.5]],
  ]);
});

test('a few minutes fill the line as well as days do, but a moment is not stretched', () => {
  expect(lanesOf([at(57, 'export'), at(58, 'export')], NOW)[0]?.marks.map(({ x }) => x)).toEqual([0, 1 / 3]);
  expect(beginOf([at(59.5, 'export')], NOW)).toBe(NOW - 60_000);
});

test('the future is not off the edge', () => {
  expect(lanesOf([at(70, 'restore')], NOW)[0]?.marks[0]?.x).toBe(1);
});
