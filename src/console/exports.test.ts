import { describe, expect, test } from 'vitest';
import type { PersistentVolumeSync, SyncSpec, SyncStatus } from '../sync/contract.ts';
import { type Exportable, holds, newestExports } from './exports.ts';

const EXPORT = { key: 'site/1', sha256: '', exportedAt: '2026-01-02T00:00:00Z' };
const newestOf = (mode: SyncSpec['mode'], status: SyncStatus) => {
  const spec = { protectedCluster: 'there', mode, cloudProvider: 's3', retention: 5 };
  const sync: PersistentVolumeSync = { metadata: { name: 'site' }, spec, status };
  return newestExports([sync]);
};
const volume = (parts: Partial<Exportable> = {}): Exportable => ({
  name: 'a',
  createdAt: '2026-01-01T00:00:00Z',
  isToBeExported: true,
  ...parts,
});
const isHeld = (mode: SyncSpec['mode'], status: SyncStatus, of: Exportable) =>
  newestOf(mode, { export: EXPORT, ...status }).some((newest) => holds(newest, of));

test('a sync that has exported nothing has no export', () => {
  expect(newestOf('Protected', { managedVolumes: ['a'] })).toEqual([]);
});

describe('an export holds', () => {
  const later = '2026-01-03T00:00:00Z';
  test.each<[string, boolean, SyncStatus, Exportable]>([
    ['what is named', true, { managedVolumes: ['a'], managedVolumeCount: 1 }, volume()],
    ['not what is not, where all are named', false, { managedVolumes: ['b'], managedVolumeCount: 1 }, volume()],
    ['what is older, where not all are named', true, { managedVolumes: ['b'], managedVolumeCount: 200 }, volume()],
    ['what is older, where none are', true, {}, volume()],
    ['not what is newer', false, {}, volume({ createdAt: later })],
    ['not what is not labelled so', false, {}, volume({ isToBeExported: false })],
    ['what is named and no longer labelled', true, { managedVolumes: ['a'] }, volume({ isToBeExported: false })],
    ['not what was restored', false, { managedVolumes: ['a'] }, volume({ restoredFor: 'site' })],
  ])('%s: %s', (_what, expected, status, of) => {
    expect(isHeld('Protected', status, of)).toBe(expected);
  });

  test.each<[string, boolean, SyncStatus, Exportable]>([
    [
      'what was restored from it',
      true,
      { managedVolumes: ['a'], managedVolumeCount: 1 },
      volume({ restoredFor: 'site' }),
    ],
    ['what was restored, and is not named', true, { managedVolumeCount: 200 }, volume({ restoredFor: 'site' })],
    ['not what another one has restored', false, { managedVolumes: ['a'] }, volume({ restoredFor: 'other' })],
    ['not what is only labelled', false, { managedVolumes: ['a'] }, volume()],
  ])('at the other side %s: %s', (_what, expected, status, of) => {
    expect(isHeld('Recovery', status, of)).toBe(expected);
  });
});
