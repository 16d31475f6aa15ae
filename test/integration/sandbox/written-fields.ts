/** Random writes of an object with fields of every kind, and the schema that says of which kind they are. */
import fc from 'fast-check';
import type { JsonMap } from '../../../src/sandbox/json.ts';
import type { SchemaNode } from '../../../src/sandbox/schema/definitions.ts';

const TEXT = { type: 'string' };

/** One field for each way in which owners share lists and maps. */
export const SAMPLE_SCHEMA: SchemaNode = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text: TEXT,
        maybe: { ...TEXT, nullable: true },
        count: { type: 'integer', default: 7 },
        map: { type: 'object', additionalProperties: TEXT },
        atomicMap: { type: 'object', additionalProperties: TEXT, 'x-kubernetes-map-type': 'atomic' },
        struct: {
          type: 'object',
          properties: { a: TEXT, inner: { type: 'object', properties: { b: TEXT, c: TEXT } } },
        },
        atomicStruct: { type: 'object', properties: { a: TEXT, b: TEXT }, 'x-kubernetes-map-type': 'atomic' },
        set: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' },
        list: { type: 'array', items: { type: 'integer' } },
        keyed: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'protocol'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: TEXT,
              protocol: { ...TEXT, default: 'TCP' },
              value: TEXT,
              tags: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' },
            },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: TEXT,
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', required: ['type'], properties: { type: TEXT, status: TEXT } },
        },
      },
    },
  },
};

const optional = { requiredKeys: [] };
const word = fc.constantFrom('x', 'y', 'z', '');
const name = fc.constantFrom('a', 'b', 'c');
const map = (keys = name) => fc.dictionary(keys, word, { maxKeys: 2, noNullPrototype: true });
const set = fc.uniqueArray(fc.constantFrom('p', 'q', 'r', '<&>'), { maxLength: 3 });
const keyed = fc.uniqueArray(
  fc.record({ name, protocol: fc.constantFrom('TCP', 'UDP'), value: word, tags: set }, { requiredKeys: ['name'] }),
  { maxLength: 3, selector: (each) => `${each.name} ${each.protocol ?? 'TCP'}` },
);
const free = fc.dictionary(
  name,
  fc.oneof(word, fc.integer({ min: 0, max: 2 }), map(), fc.array(word, { maxLength: 2 })),
  {
    maxKeys: 2,
    noNullPrototype: true,
  },
);

const spec = fc.record(
  {
    text: word,
    maybe: fc.option(word),
    count: fc.integer({ min: 0, max: 2 }),
    map: map(),
    atomicMap: map(),
    struct: fc.record({ a: word, inner: fc.record({ b: word, c: word }, optional) }, optional),
    atomicStruct: fc.record({ a: word, b: word }, optional),
    set,
    list: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
    keyed,
    free,
  },
  optional,
);

const status = fc.record(
  {
    phase: word,
    conditions: fc.uniqueArray(fc.record({ type: name, status: word }, { requiredKeys: ['type'] }), {
      maxLength: 2,
      selector: (each) => each.type,
    }),
  },
  optional,
);

const metadata = fc.record(
  {
    labels: map(),
    annotations: map(),
    finalizers: fc.uniqueArray(fc.constantFrom('example.dev/a', 'example.dev/b'), { maxLength: 2 }),
  },
  optional,
);

export const customBody: fc.Arbitrary<JsonMap> = fc.record({ metadata, spec, status }, { requiredKeys: ['metadata'] });
export const configMapBody: fc.Arbitrary<JsonMap> = fc.record(
  { metadata, data: map(), immutable: fc.constant(false) },
  { requiredKeys: ['metadata'] },
);

/** Some fields of a merge patch say that something is to go. */
const withNulls = (body: fc.Arbitrary<JsonMap>): fc.Arbitrary<JsonMap> =>
  fc.tuple(body, fc.infiniteStream(fc.boolean())).map(([value, dice]) => {
    const strike = (each: JsonMap): JsonMap =>
      Object.fromEntries(
        Object.entries(each).map(([key, inner]) => {
          if (key === 'metadata' || key === 'spec') return [key, strike(inner as JsonMap)];
          return [key, dice.next().value ? null : inner];
        }),
      );
    return strike(value);
  });

export interface Write {
  readonly owner: string;
  readonly verb: 'apply' | 'force' | 'put' | 'merge';
  readonly subresource: '' | 'status';
  readonly body: JsonMap;
  /** What the body of a PUT says about owners. */
  readonly managedFields: 'left out' | 'as they are' | 'emptied' | 'an empty list';
}

export function writes(body: fc.Arbitrary<JsonMap>, hasStatus: boolean): fc.Arbitrary<readonly Write[]> {
  const write = fc.constantFrom('apply', 'apply', 'force', 'put', 'merge' as const).chain((verb) =>
    fc.record({
      owner: fc.constantFrom('one', 'two', 'three'),
      verb: fc.constant(verb as Write['verb']),
      subresource: hasStatus ? fc.constantFrom('', '', '', 'status' as const) : fc.constant('' as const),
      body: verb === 'merge' ? withNulls(body) : body,
      managedFields: fc.constantFrom('left out', 'left out', 'as they are', 'emptied', 'an empty list' as const),
    }),
  );
  return fc.array(write, { minLength: 2, maxLength: 10 }) as fc.Arbitrary<readonly Write[]>;
}
