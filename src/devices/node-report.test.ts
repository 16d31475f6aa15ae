import { expect, test } from 'vitest';
import type { ConfigMap } from '../api/config-maps.ts';
import { type NodeReport, parseReport, reportMap } from './node-report.ts';
import type { Standing } from './standings.ts';

const MIB = 2 ** 20;

const disk = (name: string, parts: Partial<Standing> = {}): Standing => ({
  volume: `local-node-1-${name}`,
  path: `/dev/disks/${name}`,
  state: { is: 'available' },
  sizeBytes: 4 * 2 ** 30,
  device: `wwid:naa.${name}`,
  identity: { sizeBytes: 4 * 2 ** 30, wwid: `naa.${name}` },
  ...parts,
});

const report = (parts: Partial<NodeReport> = {}): NodeReport => ({
  node: 'node-1',
  at: '2026-01-01T00:00:00.000Z',
  version: '0.1.0',
  isDryRun: false,
  faults: [],
  unseen: [],
  devices: [disk('sdb')],
  leftOut: 0,
  ...parts,
});

test('a report is read as it was written, whatever the states in it', () => {
  const states: readonly Standing['state'][] = [
    { is: 'available' },
    { is: 'bound' },
    { is: 'released' },
    { is: 'new' },
    { is: 'wiping', doneBytes: 42 * MIB, ofBytes: 100 * MIB },
    { is: 'refused', fact: 'isMounted', why: 'is mounted at /data', remedy: 'Unmount it', canBeApproved: false },
    { is: 'failed', why: 'Input/output error' },
    { is: 'planned', what: 'make', method: 'zero-head', ofBytes: 100 * MIB },
  ];
  const written = report({
    isDryRun: true,
    faults: ['deviceDir is missing'],
    unseen: ['/dev/disks/x: EIO'],
    devices: states.map((state, index) => disk(`sd${index}`, { state, holds: 'xfs', claim: 'default/data' })),
  });
  const map = reportMap(written, 'storage');
  expect(map.metadata).toEqual({
    name: 'holdfast-devices-node-1',
    namespace: 'storage',
    labels: { 'holdfast.dev/report': 'devices' },
  });
  expect(parseReport(map)).toEqual(written);
});

test('a report that does not fit has fewer devices, and says how many it leaves out', () => {
  const why = 'x'.repeat(1_000);
  const devices = Array.from({ length: 1_999 }, (_, index) => disk(`sd${index}`, { state: { is: 'failed', why } }));
  const map = reportMap(report({ devices }), 'storage');
  expect(Buffer.byteLength(map.data?.['report.json'] ?? '')).toBeLessThanOrEqual(900_000);
  const { devices: read = [], leftOut = 0 } = parseReport(map) ?? {};
  expect(read.length).toBeGreaterThan(100);
  expect(read.length + leftOut).toBe(1_999);
  expect(read[0]).toEqual(devices[0]);
});

const changed = (change: (parsed: Record<string, unknown>) => void): ConfigMap => {
  const map = reportMap(report(), 'storage');
  const parsed = JSON.parse(map.data?.['report.json'] ?? '') as Record<string, unknown>;
  change(parsed);
  return { ...map, data: { 'report.json': JSON.stringify(parsed) } };
};

test('what a newer agent adds does no harm', () => {
  const map = changed((parsed) => {
    parsed.weather = 'fine';
    parsed.devices = [{ ...disk('sdb'), colour: 'red', state: { ...refusal('isHaunted'), since: 'long ago' } }];
  });
  expect(parseReport(map)?.devices).toEqual([disk('sdb', { state: refusal('isHaunted') as Standing['state'] })]);
});

const refusal = (fact: string) => ({
  is: 'refused',
  fact,
  why: 'is so',
  remedy: 'Call somebody',
  canBeApproved: false,
});

test.each<[string, ConfigMap]>([
  ['no data', { metadata: { name: 'holdfast-devices-node-1' } }],
  ['another key', { metadata: { name: 'holdfast-devices-node-1' }, data: { 'report.yaml': '{}' } }],
  ['no JSON', { metadata: { name: 'holdfast-devices-node-1' }, data: { 'report.json': '{' } }],
  ['JSON that is no object', { metadata: { name: 'holdfast-devices-node-1' }, data: { 'report.json': 'null' } }],
  ['the name of another node', { ...reportMap(report(), 'storage'), metadata: { name: 'holdfast-devices-node-2' } }],
  ['a time that is none', changed((parsed) => Object.assign(parsed, { at: 'yesterday' }))],
  ['half a device left out', changed((parsed) => Object.assign(parsed, { leftOut: 0.5 }))],
  [
    'a state that is none',
    changed((parsed) => Object.assign(parsed, { devices: [{ ...disk('a'), state: { is: 'lost' } }] })),
  ],
  ['a size below zero', changed((parsed) => Object.assign(parsed, { devices: [disk('a', { sizeBytes: -1 })] }))],
  ['a size beyond all', changed((parsed) => Object.assign(parsed, { devices: [disk('a', { sizeBytes: 1e300 })] }))],
  [
    'a volume that cannot be one',
    changed((parsed) => Object.assign(parsed, { devices: [disk('a', { volume: 'a\u001b[2J' })] })),
  ],
])('a ConfigMap with %s is no report', (_what, map) => {
  expect(parseReport(map)).toBeUndefined();
});
