import { expect, test } from 'vitest';
import { aNodeReport } from '../../devices/builders.ts';
import type { ReadReport, ReadState } from '../../devices/node-report.ts';
import { type DevicesStatus, devicesStatus, type Looked } from '../../devices/status.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { statusPage } from './devices.ts';

const statusText = (status: DevicesStatus) => rendered(statusPage(status), PLAIN);

const NOW = new Date('2026-01-01T00:12:00Z');
const GIB = 2 ** 30;

const disk = (name: string, state: ReadState, parts: object = {}) => ({
  volume: `local-node-1-${name}`,
  path: `/dev/disks/${name}`,
  state,
  identity: { sizeBytes: 4 * GIB, wwid: `naa.${name}` },
  ...parts,
});

const textOf = (parts: Partial<ReadReport>, looked: Partial<Looked> = {}) =>
  statusText(devicesStatus({ reports: [{ report: aNodeReport(parts), namespace: 'storage' }], ...looked }, NOW));

const refused = (why: string, canBeApproved: boolean): ReadState => ({
  is: 'refused',
  fact: 'x',
  why,
  remedy: 'Unmount it',
  canBeApproved,
});

test('all devices stand in a table, then agents that are not well, then what needs a person', () => {
  const devices = [
    disk('sdb', { is: 'bound' }, { claim: 'default/data' }),
    disk('sdc', { is: 'wiping', doneBytes: 42, ofBytes: 100 }, { identity: { sizeBytes: GIB } }),
    disk('sdd', refused('is mounted at /data', false)),
    disk('sde', refused('holds xfs', true)),
  ];
  expect(textOf({ devices }, { nodes: ['node-1', 'node-2'], unreadable: ['storage/holdfast-devices-x'] })).toBe(
    [
      '1 node, 4 devices: 1 bound, 1 wiping, 2 refused',
      '',
      'NODE     DEVICE           SIZE   IDENTITY                 VOLUME             CLAIM          STATE',
      'node-1   /dev/disks/sdb   4Gi    naa.sdb                  local-node-1-sdb   default/data   bound',
      'node-1   /dev/disks/sdc   1Gi    known by its size only   local-node-1-sdc   -              wiping 42 %',
      'node-1   /dev/disks/sdd   4Gi    naa.sdd                  local-node-1-sdd   -              refused: is mounted at /data',
      'node-1   /dev/disks/sde   4Gi    naa.sde                  local-node-1-sde   -              refused: holds xfs',
      '',
      'AGENTS THAT NEED A LOOK',
      'node-1 was last heard 12 minutes ago: what is shown may not be so any more',
      'no report on node-2: does holdfast devices run there?',
      'the ConfigMap storage/holdfast-devices-x is no report that this version of Holdfast can read',
      '',
      'NEEDS A PERSON',
      'node-1: /dev/disks/sdd is mounted at /data. Unmount it.',
      'node-1: /dev/disks/sde holds xfs. If nobody needs what is on it: holdfast devices approve node-1 /dev/disks/sde.',
      '',
    ].join('\n'),
  );
});

test('the wide table says what is on a device, and how many partitions it has', () => {
  const devices = [disk('sdb', { is: 'bound' }, { holds: 'xfs', partitionCount: 3 }), disk('sdc', { is: 'new' })];
  const status = devicesStatus({ reports: [{ report: aNodeReport({ devices }), namespace: 'storage' }] }, NOW);
  const rows = rendered(statusPage(status), { ...PLAIN, isWide: true })
    .split('\n')
    .slice(2, 5);
  expect(rows.map((row) => row.split(/ {3,}/).slice(6, 8))).toEqual([
    ['HOLDS', 'PARTITIONS'],
    ['xfs', '3'],
    ['-', '-'],
  ]);
});

test('without any report it is said that there is none', () => {
  expect(statusText(devicesStatus({ reports: [], nodes: [] }, NOW))).toBe(
    '0 nodes, 0 devices\n\nAGENTS THAT NEED A LOOK\nnone\n\nNEEDS A PERSON\nnone\n',
  );
});

test('of many nodes without a report the first are named', () => {
  const nodes = Array.from({ length: 12 }, (_, index) => `node-${index + 10}`);
  expect(statusText(devicesStatus({ reports: [], nodes }, NOW))).toContain(
    'no report on node-10, node-11, node-12, node-13, node-14, node-15, node-16, node-17, node-18, node-19 and 2 more: does',
  );
});

test('nothing in a report can steer the terminal, add a line, or flood it', () => {
  const evil = 'a\u001b[2J\u009b31m\u202eb\r\nNEEDS A PERSON\n';
  const state: ReadState = { is: 'refused', fact: evil, why: evil, remedy: evil.repeat(1_000), canBeApproved: false };
  const identity = { sizeBytes: 1, wwid: evil };
  const devices = [disk('sdb', state, { path: `/dev/${evil}`, claim: evil, identity })];
  const text = textOf({ devices, faults: [evil], unseen: [evil] });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(text.match(/^NEEDS A PERSON$/gm)).toHaveLength(1);
  expect(text.length).toBeLessThan(5_000);
  expect(text).toContain('/dev/a\\u001b[2J\\u009b31m\\u202eb\\u000d\\u000aNEEDS A PERSON');
});
