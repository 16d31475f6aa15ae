import { describe, expect, test } from 'vitest';
import type { Json, JsonMap } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { strategicMergePatch } from './strategic.ts';

const text: Schema = { type: 'string' };
const env: Schema = {
  type: 'array',
  patchStrategy: ['merge'],
  patchMergeKey: 'name',
  items: { type: 'object', properties: { name: text, value: text } },
};
const schema: Schema = {
  type: 'object',
  properties: {
    labels: { type: 'object', additionalProperties: text },
    finalizers: { type: 'array', items: text, patchStrategy: ['merge'] },
    args: { type: 'array', items: text },
    strategy: { type: 'object', properties: { type: text, rolling: { type: 'object', properties: { max: text } } } },
    whole: { type: 'object', properties: { a: text, b: text }, patchStrategy: ['replace'] },
    containers: {
      type: 'array',
      patchStrategy: ['merge'],
      patchMergeKey: 'name',
      items: { type: 'object', properties: { name: text, image: text, env } },
    },
  },
};
const patched = (object: JsonMap, patch: Json) => strategicMergePatch(object, patch, schema);
const named = (...names: string[]) => names.map((name) => ({ name }));

describe('maps', () => {
  test.each<[string, JsonMap, JsonMap, JsonMap]>([
    ['are merged', { labels: { a: '1' } }, { labels: { b: '2' } }, { labels: { a: '1', b: '2' } }],
    ['lose what is null', { labels: { a: '1' } }, { labels: { a: null, b: null } }, { labels: {} }],
    ['are replaced', { labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }, { labels: { b: '2' } }],
    ['are replaced where the schema says so', { whole: { a: '1' } }, { whole: { b: '2' } }, { whole: { b: '2' } }],
    ['are emptied', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    ['come without nulls', {}, { strategy: { type: 'x', rolling: null } }, { strategy: { type: 'x' } }],
    ['come not, if they only say to delete', {}, { labels: { $patch: 'delete' } }, {}],
    [
      'keep the keys that are to be retained',
      { strategy: { type: 'Rolling', rolling: { max: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
  ])('%s', (_, object, patch, expected) => {
    expect(patched(object, patch)).toEqual(expected);
  });

  test('must set only what they retain', () => {
    const patch = { strategy: { $retainKeys: ['type'], rolling: {} } };
    const refused = expect.objectContaining({ status: 400, message: 'invalid patch format of retainKeys' });
    expect(() => patched({ strategy: {} }, patch)).toThrow(refused);
  });
});

describe('lists of texts', () => {
  const object = { finalizers: ['a', 'b', 'c'], args: ['a'] };
  test.each<[string, JsonMap, JsonMap]>([
    ['are joined', { finalizers: ['d', 'b'] }, { finalizers: ['d', 'a', 'b', 'c'] }],
    ['lose what is to be deleted', { '$deleteFromPrimitiveList/finalizers': ['b', 'x'] }, { finalizers: ['a', 'c'] }],
    ['are put in order', { '$setElementOrder/finalizers': ['c', 'a'] }, { finalizers: ['b', 'c', 'a'] }],
    [
      'are put in order with what is new',
      { '$setElementOrder/finalizers': ['n', 'c', 'a'], finalizers: ['n'] },
      { finalizers: ['n', 'b', 'c', 'a'] },
    ],
    ['are replaced where nothing is said', { args: ['b'] }, { args: ['b'] }],
  ])('%s', (_, patch, expected) => {
    expect(patched(object, patch)).toEqual({ ...object, ...expected });
  });
});

describe('lists of maps', () => {
  const object = {
    containers: [
      { name: 'a', image: '1', env: [{ name: 'x', value: '1' }] },
      { name: 'b', image: '1' },
    ],
  };
  test.each<[string, JsonMap, Json]>([
    [
      'are merged by their key, at any depth',
      { containers: [{ name: 'a', env: [{ name: 'y', value: '2' }] }] },
      [
        {
          name: 'a',
          image: '1',
          env: [
            { name: 'y', value: '2' },
            { name: 'x', value: '1' },
          ],
        },
        { name: 'b', image: '1' },
      ],
    ],
    ['get members', { containers: named('c') }, [...named('c'), ...object.containers]],
    ['lose members', { containers: [{ name: 'a', $patch: 'delete' }] }, [{ name: 'b', image: '1' }]],
    ['are replaced', { containers: [{ name: 'c' }, { $patch: 'replace' }] }, named('c')],
    [
      'are put in order',
      { '$setElementOrder/containers': named('b', 'a') },
      [{ name: 'b', image: '1' }, object.containers[0] as Json],
    ],
    [
      'are put in order with what is new and what is gone',
      { '$setElementOrder/containers': named('c', 'b'), containers: [{ name: 'c' }, { name: 'a', $patch: 'delete' }] },
      [{ name: 'c' }, { name: 'b', image: '1' }],
    ],
  ])('%s', (_, patch, expected) => {
    expect(patched(object, patch)).toEqual({ containers: expected });
  });

  test.each<[string, JsonMap, number, string]>([
    [
      'without the key',
      { containers: [{ image: '2' }] },
      500,
      'map: map[image:2] does not contain declared merge key: name',
    ],
    [
      'with an unknown directive',
      { containers: [{ $patch: 'x', name: 'a' }] },
      500,
      'unknown patch type: x in map: map[$patch:x name:a]',
    ],
    [
      'with a merge directive',
      { containers: [{ $patch: 'merge', name: 'a' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'of several types',
      { containers: ['a'] },
      500,
      'list element types are not identical: [[map[env:[map[name:x value:1]] image:1 name:a] map[image:1 name:b]] [a]]',
    ],
    [
      'in another order than they ask for',
      { '$setElementOrder/containers': named('b', 'a'), containers: named('a', 'b') },
      500,
      "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
    ],
    [
      'with an order that is none',
      { '$setElementOrder/containers': 'a' },
      500,
      'expected a []interface {}, but received a string',
    ],
    ['with an order of nothing', { $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    ['with a deletion from nothing', { $deleteFromPrimitiveList: [] }, 400, 'invalid patch format of primitive list'],
  ])('%s are refused', (_, patch, status, message) => {
    expect(() => patched(object, patch)).toThrow(expect.objectContaining({ status, message }));
  });
});

test('a patch is a map', () => {
  const message = 'json: cannot unmarshal array into Go value of type map[string]interface {}';
  expect(() => patched({}, [])).toThrow(expect.objectContaining({ status: 400, message }));
  expect(patched({ args: [] }, null)).toEqual({ args: [] });
});
