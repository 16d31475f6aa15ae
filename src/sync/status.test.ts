import { expect, test } from 'vitest';
import type { PersistentVolumeSync } from './contract.ts';
import { type Ending, isNews, replacing, statusOf } from './status.ts';

const NOW = new Date('2026-03-01T12:00:00.500Z');
const LATER = new Date('2026-03-01T12:01:00Z');

const aSync = (status?: PersistentVolumeSync['status']): PersistentVolumeSync => ({
  metadata: { name: 'dr', generation: 3 },
  spec: { protectedCluster: 'alpha', mode: 'Recovery', cloudProvider: 's3', retention: 5 },
  ...(status && { status }),
});

const anEnding = (parts: Partial<Ending> = {}): Ending => ({
  succeeded: true,
  conditions: { InSync: { status: 'True', reason: 'InSync', message: 'all is restored' } },
  known: {},
  ...parts,
});

test('a condition keeps the time of its last change while its status stays', () => {
  const first = statusOf(aSync(), anEnding(), NOW);
  const second = statusOf(aSync(first), anEnding(), LATER);
  expect(second.conditions?.[0]).toMatchObject({ lastTransitionTime: '2026-03-01T12:00:00Z', observedGeneration: 3 });
});

test('a condition that changes says when', () => {
  const first = statusOf(aSync(), anEnding(), NOW);
  const broken = { InSync: { status: 'False', reason: 'StoreIsUnavailable', message: 'no answer' } } as const;
  const second = statusOf(aSync(first), anEnding({ succeeded: false, conditions: broken }), LATER);
  expect(second.conditions?.[0]?.lastTransitionTime).toBe('2026-03-01T12:01:00Z');
});

test('a condition that says nothing any more goes, and so does an error that is over', () => {
  const failed = statusOf(aSync(), anEnding({ succeeded: false, errorMessage: 'no answer' }), NOW);
  const other = { Exported: { status: 'True', reason: 'Exported', message: 'done' } } as const;
  const next = statusOf(aSync(failed), anEnding({ conditions: other }), LATER);
  expect(next.conditions?.map(({ type }) => type)).toEqual(['Exported']);
  expect(next).not.toHaveProperty('errorMessage');
});

test('what a run does not know stays as it was known', () => {
  const known = { pointerSeen: true, rtoSeconds: 4.5 };
  const first = statusOf(aSync(), anEnding({ known }), NOW);
  expect(statusOf(aSync(first), anEnding(), LATER)).toMatchObject(known);
});

test('what only the other mode keeps up to date goes with it: after a failover nobody reads the RPO of the time before', () => {
  const known = { rpoSeconds: 12, rtoSeconds: 4.5, fenced: true };
  const sync = aSync(known);
  const [Recovery, Protected] = (['Recovery', 'Protected'] as const).map((mode) =>
    statusOf({ ...sync, spec: { ...sync.spec, mode } }, anEnding(), LATER),
  );
  expect([Recovery?.rpoSeconds, Recovery?.fenced]).toEqual([12, undefined]);
  expect([Protected?.rpoSeconds, Protected?.fenced, Protected?.rtoSeconds]).toEqual([undefined, true, 4.5]);
});

test('of many volumes only some are named, in order, and all are counted', () => {
  const volumes = Array.from({ length: 250 }, (_, index) => `pv-${String(249 - index).padStart(3, '0')}`);
  const status = statusOf(aSync(), anEnding({ managed: { volumes, claims: 7 } }), NOW);
  expect(status.managedVolumes).toHaveLength(100);
  expect(status.managedVolumes?.[0]).toBe('pv-000');
  expect(status).toMatchObject({ managedVolumeCount: 250, managedClaimCount: 7 });
});

test('the age of an export alone is no news for five minutes', () => {
  const exported = { key: 'a/1_storage_objects.json', sha256: 'x', exportedAt: '2026-03-01T11:00:00Z' };
  const known = (now: Date) => ({
    rpoSeconds: now.getTime() / 1000,
    export: { ...exported, confirmedAt: now.toISOString() },
  });
  const first = statusOf(aSync(), anEnding({ known: known(NOW) }), NOW);
  const at = (now: Date) => statusOf(aSync(first), anEnding({ known: known(now) }), now);
  expect(isNews(undefined, first)).toBe(true);
  expect(isNews(first, at(LATER))).toBe(false);
  expect(isNews(first, at(new Date(NOW.getTime() + 301_000)))).toBe(true);
});

test('what is no longer said is taken away by the patch, at any depth', () => {
  const before = { a: 1, gone: true, nested: { kept: 1, gone: 2 }, list: [{ x: 1 }] };
  const after = { a: 2, nested: { kept: 1 }, list: [{ y: 1 }], fresh: { b: 1 } };
  expect(replacing(before, after)).toEqual({
    a: 2,
    gone: null,
    nested: { kept: 1, gone: null },
    list: [{ y: 1 }],
    fresh: { b: 1 },
  });
  expect(replacing(undefined, after)).toEqual(after);
});
