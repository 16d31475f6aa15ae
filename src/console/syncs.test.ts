import { describe, expect, test } from 'vitest';
import type { Condition, PersistentVolumeSync, SyncSpec, SyncStatus } from '../sync/contract.ts';
import { momentsBetween } from './history.ts';
import { syncShown } from './syncs.ts';

const NOW = new Date('2026-01-01T01:00:00Z');
const sync = (mode: SyncSpec['mode'], status?: SyncStatus): PersistentVolumeSync => ({
  metadata: { name: 'site' },
  spec: { protectedCluster: 'there', mode, cloudProvider: 's3', retention: 5 },
  ...(status && { status: { lastRun: '2026-01-01T00:59:00Z', ...status } }),
});
const is = (type: Condition['type'], status: Condition['status'] = 'True'): Condition => ({
  type,
  status,
  reason: 'Reason',
  message: 'a message',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const shown = (of: PersistentVolumeSync, canReadStore = true) =>
  syncShown({ sync: of, timeline: [], canReadStore }, NOW);

describe('a sync is', () => {
  test.each<[string, SyncSpec['mode'], readonly Condition[]]>([
    ['well', 'Protected', [is('Exported')]],
    ['attention', 'Protected', [is('Exported', 'False')]],
    ['attention', 'Protected', [is('Deposed')]],
    ['well', 'Recovery', [is('InSync')]],
    ['attention', 'Recovery', [is('InSync', 'False')]],
    ['attention', 'Recovery', [is('InSync', 'False'), is('Refused')]],
    ['busy', 'Recovery', [is('InSync', 'False'), is('WaitingForExport')]],
    ['busy', 'Recovery', [is('InSync', 'Unknown')]],
    ['unknown', 'Recovery', []],
    ['unknown', 'Protected', [is('InSync')]],
    ['unknown', 'Protected', [is('Exported', 'Unknown')]],
  ])('%s in mode %s when its conditions are %o', (health, mode, conditions) => {
    expect(shown(sync(mode, { conditions })).row.health).toBe(health);
  });

  test('unknown when nobody has looked at it', () => {
    expect(shown(sync('Protected')).row.health).toBe('unknown');
  });
});

test.each([
  ['urgent', '2026-01-01T00:00:00Z'],
  ['soon', '2026-01-01T00:50:00Z'],
])('a sync that nobody has ever looked after is told: %s if it was made at %s', (severity, creationTimestamp) => {
  const made = sync('Protected');
  const unseen = { ...made, metadata: { ...made.metadata, creationTimestamp } };
  for (const of of [unseen, { ...unseen, status: {} }])
    expect(shown(of).needs).toMatchObject([
      { id: 'sync:site:unseen', severity, what: 'Nobody has looked after the sync site yet.' },
    ]);
});

test('of what is refused one need is told, although it is not in sync either', () => {
  const { needs } = shown(sync('Recovery', { conditions: [is('InSync', 'False'), is('Refused')] }));
  expect(needs).toMatchObject([
    { id: 'sync:site:Refused', severity: 'urgent', what: 'The sync site refuses something: a message.' },
  ]);
});

test('a sync that nobody looks after is told', () => {
  const { needs } = shown(sync('Protected', { conditions: [is('Exported')], lastRun: '2026-01-01T00:30:00Z' }));
  expect(needs).toMatchObject([{ what: 'Nobody has looked after the sync site for 30 minutes.' }]);
});

test('a protected cluster that confirms nothing any more is told where its volumes can be restored', () => {
  const exported = { key: 'k', sha256: '', exportedAt: '2026-01-01T00:00:00Z', confirmedAt: '2026-01-01T00:40:00Z' };
  const { needs, row } = shown(sync('Recovery', { conditions: [is('InSync')], export: exported }));
  expect(needs).toMatchObject([{ what: 'The cluster there has confirmed no export for 20 minutes.' }]);
  expect(row.newest).toEqual({ key: 'k', exportedAt: '2026-01-01T00:00:00Z', confirmedAt: '2026-01-01T00:40:00Z' });
});

test('a drill is offered where exports are restored, and the store can be read', () => {
  expect(shown(sync('Recovery', {})).row.drill).toMatchObject({
    name: 'start-drill',
    to: { sync: 'site' },
    confirmBy: 'drill',
  });
  expect(shown(sync('Recovery', {}), false).row).not.toHaveProperty('drill');
  expect(shown(sync('Protected', {})).row).not.toHaveProperty('drill');
});

describe('what has happened to a sync', () => {
  const exported = (key: string) => ({ export: { key, sha256: '', exportedAt: '2026-01-01T00:00:00Z' } });

  test('is each new export, once', () => {
    const [first, second] = [sync('Protected', exported('a')), sync('Protected', exported('b'))];
    expect(momentsBetween(undefined, first)).toMatchObject([{ kind: 'export', what: 'a' }]);
    expect(momentsBetween(first, second)).toMatchObject([{ kind: 'export', what: 'b' }]);
    expect(momentsBetween(second, second)).toEqual([]);
  });

  test('is a restore at the other side, with the time that it took', () => {
    const restored = sync('Recovery', { ...exported('a'), rtoSeconds: 3 });
    expect(momentsBetween(undefined, restored)).toMatchObject([{ kind: 'restore', seconds: 3 }]);
  });

  test('is a drill, and how it ended', () => {
    const lastDrill = {
      at: '2026-01-01T00:10:00Z',
      seconds: 2,
      volumes: 1,
      claims: 1,
      succeeded: false,
      message: 'no',
    };
    expect(momentsBetween(sync('Recovery', {}), sync('Recovery', { lastDrill }))).toEqual([
      { at: '2026-01-01T00:10:00Z', kind: 'drill', what: 'no', succeeded: false, seconds: 2 },
    ]);
  });

  test('is a refusal, when it begins', () => {
    const [fine, refused] = [sync('Recovery', {}), sync('Recovery', { conditions: [is('Refused')] })];
    expect(momentsBetween(fine, refused)).toMatchObject([{ kind: 'refused', what: 'a message', succeeded: false }]);
    expect(momentsBetween(refused, refused)).toEqual([]);
  });
});
