import { expect, test } from 'vitest';
import { OwnWrites } from './own-writes.ts';
import type { Identity } from './store.ts';

function cacheAt(cached: Identity | undefined) {
  const state = { cached, now: 0, staleMs: 0 };
  const view = {
    identityOf: () => state.cached,
    get staleMs() {
      return state.staleMs;
    },
  };
  const writes = new OwnWrites(view, { monotonic: () => state.now });
  return { state, writes };
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

test('a server that was restored to a time before the write never shows it, and is not waited for', () => {
  const { state, writes } = cacheAt({ uid: 'u', resourceVersion: '9' });
  state.now = 1_000;
  writes.note('a', written('11'));
  state.now = 30_999;
  expect(writes.isAheadOfCache('a')).toBe(true);
  state.now = 90_000;
  state.staleMs = 60_000;
  expect(writes.isAheadOfCache('a')).toBe(true);
  state.staleMs = 59_000;
  expect(writes.isAheadOfCache('a')).toBe(false);
});
