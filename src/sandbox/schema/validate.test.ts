import { describe, expect, test } from 'vitest';
import { isMap, type Json, type JsonMap } from '../json.ts';
import type { SchemaNode } from './definitions.ts';
import { schemaOf } from './open-api.ts';
import { validate, validateStatus } from './validate.ts';

const TEXT = { type: 'string' };
const EITHER = { type: 'object', properties: { a: TEXT, b: TEXT } };
const fields: Record<string, SchemaNode> = {
  must: TEXT,
  int: { type: 'integer', minimum: 1, maximum: 5 },
  i32: { type: 'integer', format: 'int32' },
  ex: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5.5, exclusiveMaximum: true },
  mul: { type: 'integer', multipleOf: 3 },
  str: { type: 'string', minLength: 2, maxLength: 4 },
  pat: { type: 'string', pattern: '^a+$' },
  en: { type: 'string', enum: ['a', 'b'] },
  eni: { type: 'integer', enum: [1, 2] },
  list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', maxLength: 3 } },
  objs: { type: 'array', items: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
  map: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', required: ['k'], properties: { k: TEXT, v: { type: 'string', maxLength: 1 } } },
  },
  time: { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  ios: { 'x-kubernetes-int-or-string': true },
  any: { ...EITHER, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  one: { ...EITHER, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  not: { type: 'string', not: { enum: ['x'] } },
  all: { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^a' }] },
  free: { type: 'object', additionalProperties: { type: 'integer' } },
  bool: { type: 'boolean' },
};
const spec = { type: 'object', minProperties: 1, maxProperties: 5, required: ['must'], properties: fields };
const schema = schemaOf({ type: 'object', required: ['spec'], properties: { spec } });

const sentences = (value: Json, old?: Json) =>
  validate({ spec: value }, schema, old === undefined ? undefined : { spec: old }).map(
    ({ field, message }) => `${field}: ${message}`,
  );

/** Each of these was answered so by a kube-apiserver v1.36.3. */
describe('in the words of the server', () => {
  test.each<[Json, readonly string[]]>([
    [{ must: 1 }, ['spec.must: Invalid value: "integer": spec.must in body must be of type string: "integer"']],
    [{}, ['spec: Invalid value: 0: spec in body should have at least 1 properties', 'spec.must: Required value']],
    [5, ['spec: Invalid value: "integer": spec in body must be of type object: "integer"']],
    [{ int: 0 }, ['spec.int: Invalid value: 0: spec.int in body should be greater than or equal to 1']],
    [{ int: 9 }, ['spec.int: Invalid value: 9: spec.int in body should be less than or equal to 5']],
    [
      { int: 1.5 },
      [
        'spec.int: Invalid value: "number": spec.int in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.int',
      ],
    ],
    [{ int: 2 }, []],
    [
      { i32: 3000000000 },
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.i32'],
    ],
    [{ ex: 1 }, ['spec.ex: Invalid value: 1: spec.ex in body should be greater than 1']],
    [{ ex: 5.5 }, ['spec.ex: Invalid value: 5.5: spec.ex in body should be less than 5.5']],
    [{ mul: 4 }, ['spec.mul: Invalid value: 4: spec.mul in body should be a multiple of 3']],
    [{ str: 'a' }, ['spec.str: Invalid value: "a": spec.str in body should be at least 2 chars long']],
    [{ str: 'aaaaa' }, ['spec.str: Too long: may not be more than 4 bytes']],
    [{ pat: 'b' }, [`spec.pat: Invalid value: "b": spec.pat in body should match '^a+$'`]],
    [{ en: 'c' }, ['spec.en: Unsupported value: "c": supported values: "a", "b"']],
    [{ eni: 3 }, ['spec.eni: Unsupported value: 3: supported values: "1", "2"']],
    [{ list: [] }, ['spec.list: Invalid value: 0: spec.list in body should have at least 1 items']],
    [{ list: ['a', 'b', 'c'] }, ['spec.list: Too many: 3: must have at most 2 items']],
    [
      { list: ['a', 1] },
      ['spec.list[1]: Invalid value: "integer": spec.list[1] in body must be of type string: "integer"'],
    ],
    [{ list: ['aaaa'] }, ['spec.list[0]: Too long: may not be more than 3 bytes']],
    [{ objs: [{}] }, ['spec.objs[0].n: Required value']],
    [
      { objs: [{ n: 'x' }] },
      ['spec.objs[0].n: Invalid value: "string": spec.objs[0].n in body must be of type integer: "string"'],
    ],
    [{ set: ['a', 'a', 'a'] }, ['spec.set[1]: Duplicate value: "a"']],
    [{ map: [{ k: 'a' }, { k: 'a' }] }, ['spec.map[1]: Duplicate value: {"k":"a"}']],
    [{ time: 'x' }, ['spec.time: Invalid value: "x": spec.time in body must be of type date-time: "x"']],
    [{ time: '2020-01-01T00:00:00Z' }, []],
    [{ uuid: 'x' }, ['spec.uuid: Invalid value: "x": spec.uuid in body must be of type uuid: "x"']],
    [{ ios: true }, ['spec.ios: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean"']],
    [{ ios: '1' }, []],
    [
      { any: {} },
      ['<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)', 'spec.any.a: Required value'],
    ],
    [{ any: { b: '' } }, []],
    [
      { one: {} },
      [
        '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
        'spec.one.a: Required value',
      ],
    ],
    [
      { one: { a: '', b: '' } },
      [
        '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [{ one: { b: '' } }, []],
    [{ not: 'x' }, ['<nil>: Invalid value: "": "spec.not" must not validate the schema (not)']],
    [
      { all: 'x' },
      [
        'spec.all: Invalid value: "x": spec.all in body should be at least 2 chars long',
        `spec.all: Invalid value: "x": spec.all in body should match '^a'`,
        '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      { free: { k: 'x' } },
      ['spec.free.k: Invalid value: "string": spec.free.k in body must be of type integer: "string"'],
    ],
    [{ bool: 'x' }, ['spec.bool: Invalid value: "string": spec.bool in body must be of type boolean: "string"']],
    [{ bool: true, int: 1, i32: 1, ex: 2, mul: 3 }, ['spec: Too many: 6: must have at most 5 items']],
    [{ free: null }, ['spec.free: Invalid value: "null": spec.free in body must be of type object: "null"']],
  ])('%j', (value, expected) => {
    const isWhole = !isMap(value) || Object.keys(value).length === 0 || 'must' in value;
    expect(sentences(isWhole ? value : { must: 'a', ...value })).toEqual(expected);
  });

  test('what has to be there at the top', () => {
    expect(validate({}, schema)).toEqual([{ field: 'spec', reason: 'FieldValueRequired', message: 'Required value' }]);
  });
});

describe('on an update', () => {
  const old: JsonMap = { must: 'a', en: 'c', list: [], map: [{ k: 'a', v: 'long' }], set: ['a', 'a'] };

  test('what was wrong before may stay', () => {
    expect(sentences({ ...old, must: 'b' }, old)).toEqual([]);
    expect(sentences({ ...old, map: [{ k: 'b' }, { k: 'a', v: 'long' }] }, old)).toEqual([]);
  });

  test('what is wrong now is told', () => {
    expect(sentences({ ...old, en: 'd' }, old)).toEqual([
      'spec.en: Unsupported value: "d": supported values: "a", "b"',
    ]);
    expect(sentences({ ...old, map: [{ k: 'a', v: 'longer' }] }, old)).toEqual([
      'spec.map[0].v: Too long: may not be more than 1 byte',
    ]);
  });
});

test('by way of the status only the status is looked at', () => {
  const status = { type: 'object', properties: { phase: TEXT, list: { type: 'array', minItems: 1, items: TEXT } } };
  const both = schemaOf({ type: 'object', required: ['spec'], properties: { status } });
  const told = (value: Json) =>
    validateStatus({ status: value }, both, {}).map(({ field, message }) => `${field}: ${message}`);
  expect(told({ phase: 'x' })).toEqual([]);
  expect(told(null)).toEqual(['status: Invalid value: "null":  in body must be of type object: "null"']);
  expect(told({ phase: 1 })).toEqual([
    'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
  ]);
  expect(validateStatus({}, both, {})).toEqual([]);
});
