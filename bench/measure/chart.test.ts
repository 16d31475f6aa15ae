import { expect, test } from 'vitest';
import { chart, powers, steps } from './chart.ts';

test('an axis begins at nothing, and ends at a round number that is not below the most', () => {
  expect(steps(87)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(steps(100)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(steps(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
  expect(steps(0)).toEqual([0, 1]);
});

test('an axis by powers of ten has all of it between two of them', () => {
  expect(powers(1_000, 100_000)).toEqual([1_000, 10_000, 100_000]);
  expect(powers(3, 250)).toEqual([1, 10, 100, 1_000]);
  expect(powers(100, 100)).toEqual([100, 1_000]);
});

const axis = { name: 'minutes' };

test('the most is at the upper end of the axis, and nothing at the lower', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 100 },
  ];
  const svg = chart([{ title: 'memory', x: axis, y: { name: 'MB' }, series: [{ name: 'heap', points }] }]);
  expect(svg).toContain('<polyline points="62,188 430,34"');
  expect(svg).toContain('>minutes</text>');
  expect(svg).toContain('>heap</text>');
});

test('what happened is marked, and names cannot break the picture', () => {
  const series = [{ name: 'a < b & c', points: [{ x: 0, y: 1 }, { x: 10, y: 1 }] }]; // biome-ignore format: one line says it all
  const svg = chart([{ title: 'memory', x: axis, y: axis, series, marks: [5] }]);
  expect(svg).toContain('x1="246" x2="246"');
  expect(svg).toContain('a &lt; b &amp; c');
});

test('panels stand in rows', () => {
  const panel = { title: '', x: axis, y: axis, series: [] };
  const svg = chart([panel, panel, panel]);
  expect(svg).toContain('viewBox="0 0 920 500"');
  expect(svg).toContain('translate(0 250)');
});
