import { expect, test } from 'vitest';
import { aNodeReport, GIB, group, lv } from './builders.ts';
import { lvmReports, reportedGroups, reportedVolumes } from './node-report.ts';
import type { State } from './standings.ts';

test('a report is read as it was written, whatever the states in it', () => {
  const states: readonly State[] = [
    { is: 'ready' },
    { is: 'working', step: 'format' },
    { is: 'removing', step: 'shred', percent: 42 },
    { is: 'waiting', why: 'it is bound' },
    { is: 'refused', fact: 'groupIsFull', why: 'no room', remedy: 'Make room' },
    { is: 'failed', why: 'lvcreate: no' },
  ];
  const pool = lv({ name: 'pool', kind: 'thin-pool', dataPercent: 12.5, metadataPercent: 1 });
  const written = aNodeReport({
    unseen: ['lvm does not answer'],
    groups: reportedGroups({ groups: new Map([['storage_bulk', group({}, pool, lv())]]) }),
    volumes: reportedVolumes(
      states.map((state, index) => ({
        volume: `pv-${index}`,
        state,
        vg: 'a',
        path: '/mnt/pv/a',
        bytes: GIB,
        claim: 'a/b',
      })),
    ),
  });
  expect(lvmReports.parse(lvmReports.mapOf(written, 'storage'))).toEqual(written);
});

test('groups and pools are told by name, with what the volumes of each pool are promised together', () => {
  const pools = ['b', 'a'].map((name) => lv({ name, kind: 'thin-pool', sizeBytes: 10n * GIB, dataPercent: 50 }));
  const thin = ['x', 'y'].map((name) => lv({ name, kind: 'thin', pool: 'a', sizeBytes: 8n * GIB }));
  const groups = new Map([
    ['z', group({ name: 'z' })],
    ['y', group({ name: 'y', missingDisks: 1 }, ...pools, ...thin)],
  ]);
  const gib = Number(GIB);
  expect(reportedGroups({ groups })).toEqual([
    {
      name: 'y',
      sizeBytes: 100 * gib,
      freeBytes: 50 * gib,
      missingDisks: 1,
      pools: [
        { name: 'a', sizeBytes: 10 * gib, promisedBytes: 16 * gib, dataPercent: 50 },
        { name: 'b', sizeBytes: 10 * gib, promisedBytes: 0, dataPercent: 50 },
      ],
    },
    { name: 'z', sizeBytes: 100 * gib, freeBytes: 50 * gib, missingDisks: 0, pools: [] },
  ]);
});

test.each([
  ['a state that is none', { volumes: [{ volume: 'a', state: { is: 'lost' } }] }],
  ['a volume that cannot be one', { volumes: [{ volume: 'a\u001b[2J', state: { is: 'ready' } }] }],
  ['a size below zero', { groups: [{ name: 'a', sizeBytes: -1, freeBytes: 0, missingDisks: 0, pools: [] }] }],
  ['no groups', { groups: undefined }],
])('a ConfigMap with %s is no report', (_, change) => {
  const map = lvmReports.mapOf(aNodeReport(), 'storage');
  expect(
    lvmReports.parse({ ...map, data: { 'report.json': JSON.stringify({ ...aNodeReport(), ...change }) } }),
  ).toBeUndefined();
});
