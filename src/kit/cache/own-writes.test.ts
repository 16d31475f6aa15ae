import { expect, test } from 'vitest';
import { OwnWrites } from './own-writes.ts';
import type { Identity } from './store.ts';

function cacheAt(cached: Identity | undefined) {
  const state = { cached };
  return { state, writes: new OwnWrites({ identityOf: () => state.cached }) };
}

const written = (resourceVersion: string, uid = 'u') => ({ metadata: { name: 'a', uid, resourceVersion } });

test('a key that was not written to is not waited for', () => {
  expect(cacheAt({ uid: 'u', resourceVersion: '5' }).writes.isAheadOfCache('a')).toBe(false);
});

test('the cache is behind until it shows the version that we wrote, or a later one', () => {
  const { state, writes } = cacheAt({ uid: 'u', resourceVersion: '9' });
  writes.note('a', written('11'));
  expect(writes.isAheadOfCache('a')).toBe(true);
  state.cached = { uid: 'u', resourceVersion: '10' };
  expect(writes.isAheadOfCache('a')).toBe(true);
  state.cached = { uid: 'u', resourceVersion: '11' };
  expect(writes.isAheadOfCache('a')).toBe(false);
});

test('a write that changed nothing has no new version to wait for', () => {
  const { writes } = cacheAt({ uid: 'u', resourceVersion: '9' });
  writes.note('a', written('9'));
  expect(writes.isAheadOfCache('a')).toBe(false);
});

test('an object that is gone, or another by now, is not waited for', () => {
  const gone = cacheAt(undefined);
  gone.writes.note('a', written('11'));
  expect(gone.writes.isAheadOfCache('a')).toBe(false);
  const another = cacheAt({ uid: 'v', resourceVersion: '9' });
  another.writes.note('a', written('11'));
  expect(another.writes.isAheadOfCache('a')).toBe(false);
});

test('what the cache shows is our echo when it is just what we wrote, and that once', () => {
  const { state, writes } = cacheAt({ uid: 'u', resourceVersion: '9' });
  expect(writes.isEcho('a')).toBe(false);
  writes.note('a', written('11'));
  expect(writes.isEcho('a')).toBe(false);
  state.cached = { uid: 'u', resourceVersion: '11' };
  expect([writes.isEcho('a'), writes.isEcho('a')]).toEqual([true, false]);
});

test.each([
  ['a later version', { uid: 'u', resourceVersion: '12' }],
  ['another object', { uid: 'v', resourceVersion: '11' }],
  ['nothing', undefined],
])('%s is no echo', (_, cached) => {
  const { writes } = cacheAt(cached);
  writes.note('a', written('11'));
  expect(writes.isEcho('a')).toBe(false);
});

test('who was told to wait for the cache is not passed over when it shows our write', () => {
  const { state, writes } = cacheAt({ uid: 'u', resourceVersion: '9' });
  writes.note('a', written('11'));
  expect(writes.isAheadOfCache('a')).toBe(true);
  state.cached = { uid: 'u', resourceVersion: '11' };
  expect([writes.isEcho('a'), writes.isAheadOfCache('a')]).toEqual([false, false]);
});

test('a write is unseen until the cache has shown it', () => {
  const { state, writes } = cacheAt({ uid: 'u', resourceVersion: '9' });
  writes.note('a', written('11'));
  expect([...writes.unseen()]).toEqual(['a']);
  state.cached = { uid: 'u', resourceVersion: '11' };
  writes.isEcho('a');
  expect([...writes.unseen()]).toEqual([]);
});
