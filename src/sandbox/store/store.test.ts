import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiObject } from '../api-object.ts';
import { Store } from './store.ts';

const thing = (name: string, value = 0): ApiObject => ({ metadata: { name }, value });
const names = (objects: Iterable<ApiObject> | undefined) =>
  objects && [...objects].map(({ metadata }) => metadata.name);

test('every write has a version of its own, and counts on from the last', () => {
  const store = new Store();
  const [pods, nodes] = [store.collection('pods'), store.collection('nodes')];
  const versions = [store.put(pods, 'a', thing('a')), store.put(nodes, 'b', thing('b')), store.remove(pods, 'a')];
  expect(versions.map((object) => object?.metadata.resourceVersion)).toEqual(['2', '3', '4']);
  expect(store.revision).toBe(4);
});

test('objects come in the order of their keys, as etcd has them', () => {
  const store = new Store();
  const pods = store.collection('pods');
  for (const key of ['a/x', 'a-b/x', 'b/x', 'a/c', 'a.b/x']) store.put(pods, key, thing(key));
  expect(names(pods.objects())).toEqual(['a-b/x', 'a.b/x', 'a/c', 'a/x', 'b/x']);
  expect(names(pods.objects('a/'))).toEqual(['a/c', 'a/x']);
  expect(names(pods.objects('a/', 'a/d'))).toEqual(['a/x']);
});

test('a collection can be seen as it was, as far back as history reaches', () => {
  const store = new Store();
  const pods = store.collection('pods');
  const seen = new Map<number, unknown>();
  const remember = () => seen.set(store.revision, [...pods.objects()]);
  fc.assert(
    fc.property(fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() })), (steps) => {
      for (const { key, remove } of steps) {
        if (remove) store.remove(pods, key);
        else store.put(pods, key, thing(key, store.revision));
        remember();
      }
      for (const [revision, objects] of seen) expect([...(pods.objectsAt(revision) ?? [])]).toEqual(objects);
    }),
    { numRuns: 20 },
  );
});

test('history is bounded, and what it no longer knows it says', () => {
  const store = new Store({ historyLength: 3 });
  const pods = store.collection('pods');
  for (let value = 0; value < 20; value++) store.put(pods, 'a', thing('a', value));
  expect(pods.changesSince(store.revision - 3)?.map(({ object }) => object.value)).toEqual([17, 18, 19]);
  expect(pods.changesSince(store.revision - 4)).toBeUndefined();
  expect(pods.changesSince(store.revision - 10)).toBeUndefined();
  expect(pods.objectsAt(store.revision - 10)).toBeUndefined();
});

test('compaction forgets the past of every collection, of those that come later, too', () => {
  const store = new Store();
  const pods = store.collection('pods');
  store.put(pods, 'a', thing('a'));
  store.compact();
  expect(pods.changesSince(1)).toBeUndefined();
  expect(store.collection('nodes').changesSince(1)).toBeUndefined();
  expect(pods.changesSince(store.revision)).toEqual([]);
});

test('everybody hears of all changes in the same order, also of those made while being told', () => {
  const store = new Store();
  const pods = store.collection('pods');
  const heard: string[][] = [[], []];
  pods.onChange(({ key }) => {
    heard[0]?.push(key);
    if (key === 'a') store.put(pods, 'b', thing('b'));
  });
  pods.onChange(({ key }) => heard[1]?.push(key));
  store.put(pods, 'a', thing('a'));
  expect(heard).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
});
