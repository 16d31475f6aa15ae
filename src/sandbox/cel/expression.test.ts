/** That the values and errors are those of a real server is seen in test/integration/sandbox/cel.test.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { schemaOf } from '../schema/open-api.ts';
import { CelError, CelSyntaxError, CelUnsupported } from './cel-error.ts';
import { equal } from './equality.ts';
import { compileCel } from './expression.ts';
import { escaped, unescaped } from './field-names.ts';
import { fromJson } from './json-values.ts';
import type { CelValue } from './values.ts';

const evaluate = (text: string, values: Readonly<Record<string, CelValue>> = {}) =>
  compileCel(text, Object.keys(values)).evaluate(values);

describe('what is no expression is told with its place', () => {
  test.each([
    ['1 +', "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', "],
    ['(1', "Syntax error: missing ')' at '<EOF>'"],
    ['1 2', "Syntax error: extraneous input '2' expecting <EOF>"],
    ['a.b', "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')"],
    ['nothing(1)', "ERROR: <input>:1:8: undeclared reference to 'nothing' (in container '')"],
    ["'a'.nothing()", "undeclared reference to 'nothing'"],
    ['namespace == 1', 'reserved identifier: namespace'],
    ['has(1)', 'invalid argument to has() macro'],
    ['[1].all(1, true)', 'argument must be a simple name'],
    ["'a\\q'", 'token recognition error'],
    ['#', "token recognition error at: '#'"],
    [`${'('.repeat(300)}1${')'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
  ])('%s', (text, message) => {
    expect(() => compileCel(text, [])).toThrow(
      expect.objectContaining({ name: 'CelSyntaxError', message: expect.stringContaining(message) }),
    );
    expect(() => compileCel(text, [])).toThrow(CelSyntaxError);
  });

  test('the second line is told as that', () => {
    expect(() => compileCel('1 ==\n  x', [])).toThrow('<input>:2:3:');
  });
});

test.each([
  "semver('1.0.0').major() == 1",
  "cidr('10.0.0.0/8').containsIP('10.1.1.1')",
  "format.named('uuid').hasValue()",
])('what only Kubernetes knows is refused: %s', (text) => {
  expect(() => compileCel(text, [])).toThrow(CelUnsupported);
});

test('names of macros hide others, and only inside', () => {
  expect(evaluate('[1, 2].map(x, [10].map(x, x)[0] + x) == [11, 12] && x == 5', { x: 5n })).toBe(true);
});

test('a value that is not there is no syntax error', () => {
  expect(() => evaluate('x.y', { x: fromJson({}) })).toThrow(CelError);
});

describe('objects of a custom resource', () => {
  const schema = schemaOf({
    type: 'object',
    properties: {
      namespace: { type: 'string' },
      'a-b': { type: 'string' },
      amount: { type: 'number' },
      count: { type: 'integer' },
      at: { type: 'string', format: 'date-time' },
      either: { 'x-kubernetes-int-or-string': true },
      tags: { type: 'object', additionalProperties: { type: 'integer' } },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      keyed: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string' } } },
      },
    },
  });
  const self = (value: Json) => ({ self: fromJson(value, schema) });

  test.each<[string, Json]>([
    ["self.__namespace__ == 'x' && self.a__dash__b == 'y'", { namespace: 'x', 'a-b': 'y' }],
    ['self.amount == 1.0 && type(self.amount) == double && type(self.count) == int', { amount: 1, count: 1 }],
    ["self.at < timestamp('2021-01-01T00:00:00Z')", { at: '2020-01-01T00:00:00Z' }],
    ["self.either == 1 || self.either == 'a'", { either: 'a' }],
    ["self.tags['a-b'] == 1 && self.tags.all(k, self.tags[k] > 0)", { tags: { 'a-b': 1 } }],
    ["self.set == ['b', 'a'] && self.set + ['b', 'c'] == ['a', 'b', 'c']", { set: ['a', 'b'] }],
    [
      "self.keyed + [{'k': 'a', 'v': '2'}] == [{'k': 'a', 'v': '2'}, {'k': 'b', 'v': '1'}]",
      {
        keyed: [
          { k: 'a', v: '1' },
          { k: 'b', v: '1' },
        ],
      },
    ],
    ['!has(self.stranger)', { stranger: 1 }],
  ])('%s', (text, value) => {
    expect(evaluate(text, self(value))).toBe(true);
  });
});

test('names are escaped so that each can be read back', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z_][a-z_.\-/]{0,12}$/), (name) => {
      expect(unescaped(escaped(name))).toBe(name);
    }),
  );
  expect(escaped('a__b-c.d/e')).toBe('a__underscores__b__dash__c__dot__d__slash__e');
  expect(escaped('in')).toBe('__in__');
});

test('a value that is written as an expression is the value', () => {
  const written = (value: Json): string => {
    if (typeof value === 'string')
      return `'${value.replace(/['\\]/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`;
    if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
    if (typeof value === 'object' && value !== null) {
      return `{${Object.entries(value)
        .map(([key, each]) => `${written(key)}: ${written(each)}`)
        .join(', ')}}`;
    }
    return String(value);
  };
  const json = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      expect(equal(evaluate(written(value)), fromJson(value))).toBe(true);
    }),
  );
});
