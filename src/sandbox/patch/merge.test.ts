import { expect, test } from 'vitest';
import type { Json, JsonMap } from '../json.ts';
import { mergePatch } from './merge.ts';

test.each<[string, JsonMap, JsonMap, JsonMap]>([
  ['sets', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ['removes by null', { a: 1, b: 2 }, { a: null, c: null }, { b: 2 }],
  ['descends into maps', { a: { b: 1, c: 1 } }, { a: { b: null, d: 2 } }, { a: { c: 1, d: 2 } }],
  ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['puts a map in the place of a text, without its nulls', { a: 'x' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ['puts a list in the place of a map as it is', { a: { b: 1 } }, { a: [{ c: null }] }, { a: [{ c: null }] }],
  ['takes nulls out of maps in new lists', {}, { a: [{ c: null, d: 1 }, null] }, { a: [{ d: 1 }, null] }],
  ['takes nulls out of lists that replace lists', { a: [1] }, { a: [{ c: null }] }, { a: [{}] }],
  ['merges into null', { a: null }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
])('%s', (_, object, patch, expected) => {
  expect(mergePatch(object, patch)).toEqual(expected);
});

test.each<[Json, string]>([
  [null, 'Invalid JSON Patch'],
  [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
])('%j is no patch', (patch, message) => {
  expect(() => mergePatch({}, patch)).toThrow(expect.objectContaining({ status: 400, message }));
});
