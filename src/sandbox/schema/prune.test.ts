import { expect, test } from 'vitest';
import { withDefaults } from './defaults.ts';
import { schemaOf } from './open-api.ts';
import { prune } from './prune.ts';

const schema = schemaOf({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', default: 3 },
        tags: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
        },
        list: { type: 'array', items: { type: 'object', properties: { b: { type: 'string' } } } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object' } },
        },
        any: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        maybe: { type: 'string', nullable: true, default: 'm' },
        nested: { type: 'object', default: {}, properties: { deep: { type: 'boolean', default: true } } },
      },
    },
  },
});
const head = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x' } };

test('a custom resource keeps what its schema has, and what it preserves', () => {
  const object = {
    ...head,
    stray: 1,
    spec: {
      size: 1,
      tags: { t: { a: '1', z: 1 } },
      list: [{ b: '1', c: 1 }],
      free: { known: { gone: 1 }, kept: { deep: 1 } },
      any: { apiVersion: 'v1', kind: 'K', metadata: { name: 'y' }, spec: {}, gone: 1 },
    },
  };
  const { value, unknown } = prune(object, schema);
  expect(unknown).toEqual(['spec.any.gone', 'spec.free.known.gone', 'spec.list[0].c', 'spec.tags.t.z', 'stray']);
  expect(value).toEqual({
    ...head,
    spec: {
      size: 1,
      tags: { t: { a: '1' } },
      list: [{ b: '1' }],
      free: { known: {}, kept: { deep: 1 } },
      any: { apiVersion: 'v1', kind: 'K', metadata: { name: 'y' }, spec: {} },
    },
  });
});

test('its metadata is read like that of a built-in kind', () => {
  const { value, unknown } = prune({ ...head, metadata: { name: 'x', labels: {}, foo: 1 } }, schema);
  expect(value).toEqual(head);
  expect(unknown).toEqual(['metadata.foo']);
  const { fault } = prune({ ...head, metadata: { labels: { a: 1 } } }, schema);
  expect(fault).toContain('cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string');
});

test('defaults are filled in, into defaults and maps, too', () => {
  expect(withDefaults({ spec: { tags: { t: {} } } }, schema)).toEqual({
    spec: { size: 3, tags: { t: { a: 'x' } }, maybe: 'm', nested: { deep: true } },
  });
  expect(withDefaults({}, schema)).toEqual({});
});

test('null stays where it is allowed, and is absent elsewhere', () => {
  const object = { ...head, spec: { size: null, maybe: null, list: null, nested: { deep: false } } };
  const { value } = prune(object, schema);
  expect(value).toEqual({ ...head, spec: { size: null, maybe: null, nested: { deep: false } } });
  expect(withDefaults(value, schema)).toEqual({ ...head, spec: { size: 3, maybe: null, nested: { deep: false } } });
});

test('a null that comes from elsewhere is left to validation', () => {
  expect(withDefaults({ spec: { list: null } }, schema)).toMatchObject({ spec: { list: null } });
});
