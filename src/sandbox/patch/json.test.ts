import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, same } from '../json.ts';
import { jsonPatch } from './json.ts';

const REJECTED = 'the server rejected our request due to an error in our request';
const object = { data: { a: '1', b: null, 'x/y': '~' }, list: ['p', 'q', 'r'] };

function fault(patch: Json): unknown {
  try {
    return jsonPatch(object, patch);
  } catch (error) {
    return error;
  }
}

describe('each operation', () => {
  test.each<[string, Json, Json]>([
    ['add sets a field', { op: 'add', path: '/data/c', value: 3 }, { ...object, data: { ...object.data, c: 3 } }],
    ['add inserts into a list', { op: 'add', path: '/list/1', value: 'n' }, { ...object, list: ['p', 'n', 'q', 'r'] }],
    ['add appends', { op: 'add', path: '/list/-', value: 'n' }, { ...object, list: ['p', 'q', 'r', 'n'] }],
    [
      'add counts from behind the end',
      { op: 'add', path: '/list/-1', value: 'n' },
      { ...object, list: ['p', 'q', 'r', 'n'] },
    ],
    ['remove takes a field out', { op: 'remove', path: '/data/a' }, { ...object, data: { b: null, 'x/y': '~' } }],
    ['remove counts from the end', { op: 'remove', path: '/list/-1' }, { ...object, list: ['p', 'q'] }],
    ['replace sets a value', { op: 'replace', path: '/list/0', value: 'n' }, { ...object, list: ['n', 'q', 'r'] }],
    ['replace makes what is not there', { op: 'replace', path: '/new', value: 1 }, { ...object, new: 1 }],
    ['replace exchanges everything', { op: 'replace', path: '', value: { b: 1 } }, { b: 1 }],
    ['move renames', { op: 'move', from: '/data', path: '/d' }, { list: object.list, d: object.data }],
    ['copy copies', { op: 'copy', from: '/list/0', path: '/list/-' }, { ...object, list: ['p', 'q', 'r', 'p'] }],
    ['copy makes null of what is not there', { op: 'copy', from: '/data/no', path: '/n' }, { ...object, n: null }],
    [
      'escapes are read',
      { op: 'replace', path: '/data/x~1y', value: 1 },
      { ...object, data: { ...object.data, 'x/y': 1 } },
    ],
    ['a missing value is null', { op: 'add', path: '/n' }, { ...object, n: null }],
    ['test holds', { op: 'test', path: '/data', value: { 'x/y': '~', b: null, a: '1' } }, object],
    ['test takes absent for null', { op: 'test', path: '/data/no', value: null }, object],
    ['test holds for everything', { op: 'test', path: '', value: object }, object],
    ['what is before the first slash is passed over', { op: 'add', path: 'x/n', value: 1 }, { ...object, n: 1 }],
    ['a field may be called __proto__', { op: 'add', path: '/__proto__', value: 1 }, JSON.parse('{"__proto__":1}')],
  ])('%s', (name, operation, expected) => {
    const result = jsonPatch(object, [operation]);
    const wanted = name.includes('__proto__') ? { ...object, ...(expected as object) } : expected;
    expect(same(result, wanted)).toBe(true);
  });
});

describe('what does not apply is rejected without a reason', () => {
  test.each<[string, Json]>([
    ['a test that fails', { op: 'test', path: '/data/a', value: '2' }],
    ['a test of what is not there', { op: 'test', path: '/data/no', value: '2' }],
    ['an unknown operation', { op: 'swap', path: '/data/a' }],
    ['no operation', null],
    ['no path', { op: 'add', value: 1 }],
    ['no way to the field', { op: 'add', path: '/no/x', value: 1 }],
    ['a way through null', { op: 'add', path: '/data/b/x', value: 1 }],
    ['a way through a text', { op: 'add', path: '/data/a/x', value: 1 }],
    ['removal of what is not there', { op: 'remove', path: '/data/no' }],
    ['an index beyond the list', { op: 'add', path: '/list/4', value: 1 }],
    ['replacement beyond the list', { op: 'replace', path: '/list/3', value: 1 }],
    ['an index before the list', { op: 'remove', path: '/list/-4' }],
    ['an index that is no number', { op: 'remove', path: '/list/x' }],
    ['a text in place of everything', { op: 'replace', path: '', value: 'x' }],
    ['moving from nowhere', { op: 'move', from: '/data/no', path: '/n' }],
    ['copying without from', { op: 'copy', path: '/n' }],
  ])('%s', (_, operation) => {
    expect(fault([operation])).toMatchObject({ status: 422, reason: 'Invalid', message: REJECTED });
  });
});

describe('what is no patch is a bad request', () => {
  test.each<[Json, string]>([
    [{}, 'object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'number into Go value of type handlers.jsonPatchOp'],
    [[{ op: 1 }], 'number into Go struct field jsonPatchOp.op of type string'],
    [[{ op: 'add', path: [] }], 'array into Go struct field jsonPatchOp.path of type string'],
    [[{ op: 'move', path: '/a', from: true }], 'bool into Go struct field jsonPatchOp.from of type string'],
  ])('%j', (patch, words) => {
    const message = `error decoding patch: json: cannot unmarshal ${words}`;
    expect(fault(patch)).toMatchObject({ status: 400, reason: 'BadRequest', message });
  });
});

test('10,000 operations are the most', () => {
  const operations = (count: number) =>
    Array.from({ length: count }, () => ({ op: 'test', path: '/list/0', value: 'p' }));
  expect(jsonPatch(object, operations(10_000))).toBe(object);
  const message = 'The allowed maximum operations in a JSON patch is 10000, got 10001';
  expect(fault(operations(10_001))).toMatchObject({ status: 413, reason: 'RequestEntityTooLarge', message });
});

test('copies of more than 3 MiB in all are rejected', () => {
  const copies = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ op: 'copy', from: '/big', path: `/c${i}` }));
  const large = { big: 'x'.repeat(1024 * 1024 - 2) };
  expect(Object.keys(jsonPatch(large, copies(3)) as object)).toHaveLength(4);
  expect(() => jsonPatch(large, copies(4))).toThrow(REJECTED);
});

test('what was added and removed again leaves no trace, and nothing is changed in place', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (key, value) => {
      const path = `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      fc.pre(!Object.hasOwn(object.data, key));
      const before = structuredClone(object);
      const operations = [
        { op: 'add', path, value: value as Json },
        { op: 'remove', path },
      ];
      expect(same(jsonPatch(object, operations), before)).toBe(true);
      expect(object).toEqual(before);
    }),
  );
});
