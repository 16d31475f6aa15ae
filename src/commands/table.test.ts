import { expect, test } from 'vitest';
import { table } from './table.ts';

test('cells stand below each other, and no line ends in blanks', () => {
  expect(
    table([
      ['VOLUME', 'ZONE'],
      ['a', 'eu-west-1a'],
      ['much-longer', ''],
    ]),
  ).toBe('VOLUME        ZONE\na             eu-west-1a\nmuch-longer\n');
});

test('there may be very many rows', () => {
  expect(table(Array.from({ length: 200_000 }, (_, row) => [`${row}`]))).toHaveLength(1_088_890 + 200_000);
});

test('no rows are no text', () => {
  expect(table([])).toBe('');
});
