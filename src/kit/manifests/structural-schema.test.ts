import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { dateTime, intOrString, quantity } from './fields.ts';
import { structuralSchema } from './structural-schema.ts';

describe('values', () => {
  test.each([
    ['a text', z.string().min(1).max(9).regex(/^a/), { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' }],
    [
      'two patterns',
      z.string().regex(/^a/).regex(/b$/),
      { type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] },
    ],
    ['a switch', z.boolean(), { type: 'boolean' }],
    ['a number', z.number(), { type: 'number' }],
    [
      'exclusive bounds, as booleans',
      z.number().gt(0).lt(1),
      { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    ],
    ['a whole number, without the bounds of JavaScript', z.int(), { type: 'integer', format: 'int64' }],
    ['a bounded whole number', z.number().int().min(0), { type: 'integer', format: 'int64', minimum: 0 }],
    [
      'an int32, with its bounds: the server does not enforce the format',
      z.int32(),
      { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 },
    ],
    ['a multiple', z.int().multipleOf(5), { type: 'integer', format: 'int64', multipleOf: 5 }],
    ['one value', z.literal('a'), { type: 'string', enum: ['a'] }],
    ['several values', z.enum(['b', 'a']), { type: 'string', enum: ['b', 'a'] }],
    ['several whole numbers', z.literal([1, 2]), { type: 'integer', enum: [1, 2] }],
    ['a union of values', z.union([z.literal('a'), z.enum(['b', 'c'])]), { type: 'string', enum: ['a', 'b', 'c'] }],
    ['a nullable value', z.string().nullable(), { type: 'string', nullable: true }],
    ['anything', z.unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
    ['a read-only value', z.string().readonly(), { type: 'string' }],
    [
      'a number or a text',
      intOrString(),
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ],
  ])('%s', (_, schema, expected) => {
    expect(structuralSchema(schema)).toEqual(expected);
  });

  test('a quantity is a number, or a text with a pattern', () => {
    expect(structuralSchema(quantity())).toEqual({
      'x-kubernetes-int-or-string': true,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: expect.stringContaining('[KMGTPE]i'),
    });
  });

  test('a point in time is told by its pattern: with a format the server would also take a list', () => {
    expect(structuralSchema(dateTime())).toEqual({ type: 'string', pattern: expect.stringMatching(/^\^.*\$$/) });
  });
});

describe('objects and lists', () => {
  test('fields and what is required come in alphabetical order; a default makes a field optional', () => {
    const schema = z.object({
      c: z.string(),
      b: z.string().optional(),
      a: z.boolean(),
      d: z.int32().min(1).max(9).default(5),
    });
    const structural = structuralSchema(schema);
    expect(structural).toEqual({
      type: 'object',
      required: ['a', 'c'],
      properties: {
        a: { type: 'boolean' },
        b: { type: 'string' },
        c: { type: 'string' },
        d: { type: 'integer', format: 'int32', minimum: 1, maximum: 9, default: 5 },
      },
    });
    expect(Object.keys(structural)).toEqual(['properties', 'required', 'type']);
    expect(Object.keys(structural.properties as object)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('descriptions and extensions stay, wherever in the chain they were given', () => {
    const early = z.string().describe('Why.').meta({ 'x-kubernetes-map-type': 'atomic' }).min(1).optional();
    expect(structuralSchema(early)).toEqual({
      type: 'string',
      description: 'Why.',
      minLength: 1,
      'x-kubernetes-map-type': 'atomic',
    });
  });

  test.each([
    ['a map', z.record(z.string(), z.boolean()), { type: 'object', additionalProperties: { type: 'boolean' } }],
    [
      'a list',
      z.array(z.boolean()).min(1).max(2),
      { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 },
    ],
    ['a loose object', z.looseObject({}), { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    [
      'a strict object, from which the server drops what is unknown',
      z.strictObject({ a: z.boolean() }),
      { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
    ],
    [
      'an intersection of objects',
      z.object({ a: z.boolean() }).and(z.object({ b: z.boolean().optional() })),
      { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'boolean' } }, required: ['a'] },
    ],
  ])('%s', (_, schema, expected) => {
    expect(structuralSchema(schema)).toEqual(expected);
  });

  test('the same schema in two places is written out twice: there are no references', () => {
    const shared = z.object({ a: z.boolean() }).meta({ description: 'Shared.' });
    const { properties } = structuralSchema(z.object({ x: shared, y: shared }));
    expect(properties).toEqual({ x: structuralSchema(shared), y: structuralSchema(shared) });
  });
});

describe('what a CustomResourceDefinition cannot say is refused, with the field and the remedy', () => {
  test.each([
    ['a union of types', z.union([z.string(), z.boolean()]), /spec\.field is a union; .*CEL/],
    [
      'a union of objects',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      /spec\.field is a union/,
    ],
    [
      'a discriminated union',
      z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
      /spec\.field is a union/,
    ],
    ['a tuple', z.tuple([z.string(), z.boolean()]), /spec\.field\[\] is a union/],
    ['never', z.never(), /spec\.field takes no value/],
    [
      'a nullable enumeration',
      z.enum(['a']).nullable(),
      /spec\.field may be null or one of a few values.*; make it optional/,
    ],
    ['a pattern with flags', z.string().regex(/^a/i), /spec\.field has the pattern \/\^a\/i.*; write it without flags/],
    ['a pattern that looks around', z.string().regex(/(?=a)/), /spec\.field has the pattern .*not RE2/],
    [
      'a pattern that looks around, beside another',
      z.string().regex(/^a/).regex(/(?!b)/),
      /spec\.field has the pattern .*not RE2/,
    ],
    ['a format without a pattern', z.url(), /spec\.field has the format uri.*; say it with a pattern/],
    ['chosen keys', z.partialRecord(z.enum(['a']), z.string()), /spec\.field is a map with chosen keys/],
    ['keys with a pattern', z.record(z.string().regex(/^a/), z.string()), /spec\.field is a map with chosen keys/],
    [
      'named fields and others',
      z.object({ a: z.string() }).catchall(z.boolean()),
      /spec\.field has fields by name and others/,
    ],
    ['an unknown keyword', z.string().meta({ examples: ['a'] }), /spec\.field has "examples"/],
  ])('%s', (_, field, message) => {
    expect(() => structuralSchema(z.object({ spec: z.object({ field }) }))).toThrow(message);
  });

  test('a schema that contains itself', () => {
    const tree = z.object({
      get children() {
        return z.array(tree);
      },
    });
    expect(() => structuralSchema(tree)).toThrow(/[Cc]ycle/);
  });
});
