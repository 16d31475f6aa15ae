import { expect, test } from 'vitest';
import type { PersistentVolumeSync, SyncStatus } from '../../sync/contract.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { type SyncStanding, standingOf, statusPage } from './sync.ts';

const asText = (syncs: readonly SyncStanding[]) => rendered(statusPage({ syncs }), PLAIN);

const NOW = new Date('2026-03-01T12:00:00Z');

const aSync = (status: SyncStatus): PersistentVolumeSync => ({
  metadata: { name: 'dr' },
  spec: { protectedCluster: 'prod', mode: 'Recovery', cloudProvider: 's3', retention: 5 },
  status,
});

const exported = { key: 'prod/1_storage_objects.json', sha256: 'x', exportedAt: '2026-03-01T11:00:00Z' };

test('a sync is told with the age of what it would restore, counted from its last confirmation', () => {
  const status = {
    managedVolumeCount: 3,
    managedClaimCount: 2,
    export: { ...exported, confirmedAt: '2026-03-01T11:58:00Z' },
  };
  const standing = standingOf(aSync({ ...status, rtoSeconds: 4.2 }), NOW);
  expect(standing).toMatchObject({ volumes: 3, claims: 2, ageSeconds: 120, rtoSeconds: 4.2, troubles: [] });
  const text = asText([standing]);
  expect(text).toMatch(/dr +Recovery +prod +s3 +3 +2 +2 minutes +4 seconds +-/);
  expect(text).toContain('NEEDS A PERSON\nnone');
});

test('an export of the original is as old as itself', () => {
  expect(standingOf(aSync({ export: exported }), NOW).ageSeconds).toBe(3600);
});

test('what is wrong is told once, by the condition that it keeps from being true', () => {
  const wrong = { reason: 'MassDeletion', message: 'too many', lastTransitionTime: '2026-03-01T11:00:00Z' };
  const conditions = [
    { type: 'InSync', status: 'False', ...wrong },
    { type: 'Refused', status: 'True', ...wrong },
  ] as const;
  const { troubles } = standingOf(aSync({ conditions }), NOW);
  expect(troubles).toEqual(['MassDeletion: too many']);
});

test('a cluster without a sync is told so', () => {
  expect(asText([])).toContain('There is no PersistentVolumeSync');
});
