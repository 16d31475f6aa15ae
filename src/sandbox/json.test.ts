import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../kit/kube/json.ts';
import { type Json, same, sharing } from './json.ts';

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

test('what shares says what it said, to the order of its keys', () => {
  const copy = (value: Json) => JSON.parse(JSON.stringify(value)) as Json;
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(JSON.stringify(sharing(a as Json, b as Json))).toBe(JSON.stringify(a));
      expect(sharing(copy(a as Json), a as Json) === a).toBe(true);
    }),
  );
});

test('parts that are alike are shared, others are left as they are', () => {
  const stored = { metadata: { labels: { a: 'b' }, owners: [{ x: 1 }, { y: 2 }] }, spec: { n: 1 } };
  const sent = { metadata: { labels: { a: 'b' }, owners: [{ x: 1 }, { y: 3 }] }, spec: { n: 2 } };
  const shared = sharing(sent, stored) as typeof stored;
  expect(shared).toEqual(sent);
  expect(shared.metadata.labels).toBe(stored.metadata.labels);
  expect(shared.metadata.owners[0]).toBe(stored.metadata.owners[0]);
  expect(shared.spec).toBe(sent.spec);
  expect(sharing({ b: 1, a: 2 }, { a: 2, b: 1 })).toEqual({ b: 1, a: 2 });
});

test('a raw number is shared, but never taken apart', () => {
  const raw = (text: string) => parseJson(`{"n":${text}}`) as Json;
  const stored = raw('12345678901234567890');
  expect(sharing(raw('12345678901234567890'), stored)).toBe(stored);
  expect(JSON.stringify(sharing(raw('12345678901234567891'), stored))).toBe('{"n":12345678901234567891}');
});
