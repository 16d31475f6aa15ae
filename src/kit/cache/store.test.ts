import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../kube/resource.ts';
import { type Change, Store } from './store.ts';

interface Box extends KubeObject {
  readonly colours: readonly string[];
}

const box = (name: string, colours: readonly string[], uid = 'u', resourceVersion = '1'): Box => ({
  metadata: { namespace: 'ns', name, uid, resourceVersion },
  colours,
});

function boxes() {
  const store = new Store<Box, { readonly colours: readonly string[] }, 'colour'>(
    (each) => ({ colours: each.colours }),
    {
      synced: true,
      available: true,
      staleMs: 0,
    },
  );
  store.index({ colour: ({ colours }) => colours });
  const changes: Change<unknown>[] = [];
  store.subscribe((change) => changes.push(change));
  return { store, changes };
}

test('an object is found under namespace and name, and holds only what was projected', () => {
  const { store } = boxes();
  store.put(box('a', ['red']));
  expect(store.get('ns/a')).toEqual({ colours: ['red'] });
  expect(store.size).toBe(1);
  expect(store.get('a')).toBeUndefined();
});

test('a change that the projection hides is none, but the version is remembered', () => {
  const { store, changes } = boxes();
  store.put(box('a', ['red'], 'u', '1'));
  const held = store.get('ns/a');
  store.put(box('a', ['red'], 'u', '2'));
  expect(changes).toHaveLength(1);
  expect(store.versionOf('ns/a')).toBe('2');
  expect(store.get('ns/a')).toBe(held);
});

test('an object that was deleted and made again under the same name is a change, however alike it is', () => {
  const { store, changes } = boxes();
  store.put(box('a', ['red'], 'first'));
  store.put(box('a', ['red'], 'second'));
  expect(changes).toHaveLength(2);
});

test('subscribers are told what was and what is, until they leave', () => {
  const { store, changes } = boxes();
  const others: unknown[] = [];
  const leave = store.subscribe((change) => others.push(change));
  store.put(box('a', ['red']));
  leave();
  store.put(box('a', ['blue']));
  store.remove('ns/a');
  store.remove('ns/a');
  expect(changes).toEqual([
    { key: 'ns/a', after: { colours: ['red'] } },
    { key: 'ns/a', before: { colours: ['red'] }, after: { colours: ['blue'] } },
    { key: 'ns/a', before: { colours: ['blue'] } },
  ]);
  expect(others).toHaveLength(1);
});

test('when subscribers are told, the indexes know already', () => {
  const { store } = boxes();
  const seen: number[] = [];
  store.subscribe(() => seen.push(store.by('colour', 'red').length));
  store.put(box('a', ['red']));
  store.put(box('b', ['red']));
  store.remove('ns/a');
  expect(seen).toEqual([1, 2, 1]);
});

test('after any changes an index answers as a walk over all would', () => {
  const colours = fc.uniqueArray(fc.constantFrom('red', 'blue', 'green'));
  const act = fc.record({ name: fc.constantFrom('a', 'b', 'c'), colours: fc.option(colours) });
  fc.assert(
    fc.property(fc.array(act), (acts) => {
      const { store } = boxes();
      for (const each of acts) each.colours ? store.put(box(each.name, each.colours)) : store.remove(`ns/${each.name}`);
      for (const colour of ['red', 'blue', 'green']) {
        const walked = [...store.keys()].filter((key) => store.get(key)?.colours.includes(colour));
        expect([...store.keysBy('colour', colour)].sort()).toEqual(walked.sort());
        expect(store.by('colour', colour)).toHaveLength(walked.length);
      }
    }),
  );
});

test('an object that is projected to nothing is not there, and goes when it comes to that', () => {
  const changes: Change<string>[] = [];
  const store = new Store<Box, string>(({ colours }) => colours[0], { synced: true, available: true, staleMs: 0 });
  store.subscribe((change) => changes.push(change));
  store.put(box('a', []));
  expect([store.size, changes]).toEqual([0, []]);
  store.put(box('a', ['red']));
  store.put(box('a', []));
  expect([store.size, changes]).toEqual([
    0,
    [
      { key: 'ns/a', after: 'red' },
      { key: 'ns/a', before: 'red' },
    ],
  ]);
});

test('what an index finds is whole, also when it is a list itself', () => {
  const store = new Store<Box, readonly string[], 'colour'>(({ colours }) => colours, {
    synced: true,
    available: true,
    staleMs: 0,
  });
  store.index({ colour: (colours) => colours });
  store.put(box('a', ['red', 'green']));
  expect(store.by('colour', 'red')).toEqual([['red', 'green']]);
});

test('which object and which version is held is known, also when the projection hides the change', () => {
  const { store, changes } = boxes();
  store.put(box('a', ['red'], 'u', '7'));
  store.put(box('a', ['red'], 'u', '8'));
  expect([store.identityOf('ns/a'), changes.length]).toEqual([{ uid: 'u', resourceVersion: '8' }, 1]);
  expect(store.identityOf('ns/b')).toBeUndefined();
});
