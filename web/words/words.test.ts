import { expect, test } from 'vitest';
import { bytes, bytesOf } from './bytes.ts';
import { count, counted, percent } from './numbers.ts';
import { absolute, ago, counter, span, took } from './time.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [120 * 2 ** 30, '120 GiB'],
  [2 ** 40 - 1, '1023 GiB'],
  [1.25 * 2 ** 40, '1.2 TiB'],
])('%d bytes are %s', (size, text) => expect(bytes(size)).toBe(text));

test.each([
  [-5, '0 s'],
  [45.9, '45 s'],
  [150, '2 min'],
  [7200, '2 h'],
  [12_000, '3 h 20 min'],
  [86_400, '24 h'],
  [3 * 86_400 + 7200, '3 d 2 h'],
  [40 * 86_400, '40 d'],
])('%d seconds are %s', (seconds, text) => expect(span(seconds)).toBe(text));

test('what was a moment ago, or lies ahead of this clock, is just now', () => {
  expect(ago(10_000, 11_000)).toBe('just now');
  expect(ago(90_000, 11_000)).toBe('just now');
  expect(ago(10_000, 70_000)).toBe('60 s ago');
});

test('what took a moment is told to a tenth', () => {
  expect([0.42, 9.96, 45].map(took)).toEqual(['0.4 s', '10 s', '45 s']);
});

test('a counter counts seconds, until days make them pointless', () => {
  expect([0, 4, 252, 3852, 3 * 86_400].map(counter)).toEqual(['0 s', '4 s', '4 min 12 s', '1 h 4 min 12 s', '3 d']);
});

test('a moment is told in full, with its zone; what is none is told as it is', () => {
  expect(absolute('2026-03-01T12:30:05Z')).toMatch(/^2026-03-0[12] \d\d:\d\d:05 UTC/);
  expect(absolute('never')).toBe('never');
});

test('a part has the unit of the whole, unless it is another', () => {
  expect([bytesOf(265 * 2 ** 30, 400 * 2 ** 30), bytesOf(700 * 2 ** 20, 2 ** 31), bytesOf(0, 2 ** 30)]).toEqual([
    '265 of 400 GiB',
    '700 MiB of 2 GiB',
    '0 B of 1 GiB',
  ]);
});

test('nearly full is not full, and nearly nothing is not nothing', () => {
  expect([0, 0.2, 41.6, 99.7, 100].map(percent)).toEqual(['0%', '<1%', '42%', '>99%', '100%']);
});

test('large counts are grouped, and one is one', () => {
  expect(count(10_000)).toBe('10,000');
  expect([counted(1, 'volume'), counted(10_000, 'volume')]).toEqual(['1 volume', '10,000 volumes']);
});
