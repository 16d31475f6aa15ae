import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, same } from './json.ts';

test('values are the same when they say the same, whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(same(a as Json, structuredClone(a) as Json)).toBe(true);
      expect(same(a as Json, b as Json)).toBe(same(b as Json, a as Json));
    }),
  );
  expect(same({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
  expect(same({ a: null }, {})).toBe(false);
  expect(same([1, 2], [2, 1])).toBe(false);
  expect(same({ constructor: 1 }, { b: 1 })).toBe(false);
});
