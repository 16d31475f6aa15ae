import { expect, test } from 'vitest';
import type { PersistentVolumeSync } from './contract.ts';
import { elderOf } from './elder.ts';

const aSync = (name: string, creationTimestamp: string): PersistentVolumeSync => ({
  metadata: { name, creationTimestamp },
  spec: { protectedCluster: 'alpha', mode: 'Protected', cloudProvider: 's3', retention: 5 },
});

test('of several resources the oldest counts, whatever they are called', () => {
  const [old, young] = [aSync('z', '2026-01-01T00:00:00Z'), aSync('a', '2026-01-02T00:00:00Z')];
  expect(elderOf([young, old])).toBe(old);
});

test('of those of the same second the first by name counts, so that all agree which', () => {
  const [a, b] = [aSync('a', '2026-01-01T00:00:00Z'), aSync('b', '2026-01-01T00:00:00Z')];
  expect(elderOf([b, a])).toBe(a);
  expect(elderOf([a, b])).toBe(a);
});

test('of none there is none', () => {
  expect(elderOf([])).toBeUndefined();
});
