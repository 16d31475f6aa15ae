import { expect, test } from 'vitest';
import { byBytes, goQuoted, goText, goTypeOf, jsonWordFor } from './go-text.ts';

test('values are written as Go writes them', () => {
  expect(goText({ b: [1, 'x', null], a: { c: true } })).toBe('map[a:map[c:true] b:[1 x <nil>]]');
});

test('types are named as Go names them', () => {
  const values = [null, true, 1, 1.5, 'x', [], {}];
  expect(values.map(goTypeOf)).toEqual([
    '<nil>',
    'bool',
    'int64',
    'float64',
    'string',
    '[]interface {}',
    'map[string]interface {}',
  ]);
  expect(values.map(jsonWordFor)).toEqual(['null', 'bool', 'number', 'number', 'string', 'array', 'object']);
});

test('texts are in the order of their bytes', () => {
  expect(['\u{1f600}', '\uff01', 'b', 'a', 'B'].toSorted(byBytes)).toEqual(['B', 'a', 'b', '\uff01', '\u{1f600}']);
});

test('texts are quoted as Go quotes them', () => {
  expect(goQuoted('a"b\\\n\u0007\u0001é')).toBe('"a\\"b\\\\\\n\\a\\x01é"');
});
