import { expect, test } from 'vitest';
import type { ConfigMap } from '../api/config-maps.ts';
import { aConfig, aNodeReport } from './builders.ts';
import type { Configuration } from './configuration.ts';
import { devicesReports, type ReadReport, reportOn } from './node-report.ts';
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

const HEAD = { node: 'node-1', at: '2026-01-01T00:00:00.000Z', version: '0.1.0', isDryRun: false };

const report = (parts: Partial<ReadReport> = {}): ReadReport =>
  aNodeReport({ ...HEAD, devices: [disk('sdb')], ...parts });

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
  const map = devicesReports.mapOf(written, 'storage');
  expect(map.metadata).toEqual({
    name: 'holdfast-devices-node-1',
    namespace: 'storage',
    labels: { 'holdfast.dev/report': 'devices' },
  });
  expect(devicesReports.parse(map)).toEqual(written);
});

const SDB1 = { name: 'sdb1', startBytes: MIB, sizeBytes: 40 * MIB, heldBy: 'dm-0' };

test('partitions are read as they were written, and a report of an agent that does not know of them is one, too', () => {
  const written = report({ devices: [disk('sdb', { partitions: [SDB1], partitionCount: 1 }), disk('sdc')] });
  expect(devicesReports.parse(devicesReports.mapOf(written, 'storage'))).toEqual(written);
});

test('rather than that a device is left out, the partitions are only counted', () => {
  const partitions = Array.from({ length: 16 }, () => ({ ...SDB1, startBytes: 2 ** 42, sizeBytes: 2 ** 42 }));
  const devices = Array.from({ length: 1_000 }, (_, index) => disk(`sd${index}`, { partitions, partitionCount: 99 }));
  const map = devicesReports.mapOf(report({ devices }), 'storage');
  expect(Buffer.byteLength(map.data?.['report.json'] ?? '')).toBeLessThanOrEqual(900_000);
  const read = devicesReports.parse(map);
  expect([read?.leftOut, read?.devices.length]).toEqual([0, 1_000]);
  expect(read?.devices[0]).toEqual(disk('sd0', { partitionCount: 99 }));
});

test.each<[string, Configuration, readonly string[]]>([
  ['cannot be used', { is: 'wrong', configMap: 'disks', faults: ['a', 'b'] }, ['a', 'b']],
  ['is not there', { is: 'none', why: 'the Node names none' }, ['the Node names none']],
  ['can be used', { is: 'given', configMap: 'disks', config: aConfig(), accepts: () => true, warnings: ['c'] }, []],
])('a configuration that %s is reported, beside the devices by their paths', (_, configuration, faults) => {
  const stock = { configuration, byVolume: new Map(), paths: new Map(), unseen: ['/dev/disks/x: EIO'] };
  expect(reportOn(stock, [disk('sdc'), disk('sdb')], HEAD)).toEqual(
    report({ faults, unseen: ['/dev/disks/x: EIO'], devices: [disk('sdb'), disk('sdc')] }),
  );
});

test('nothing is wrong as long as nobody has looked', () => {
  expect(reportOn(undefined, [disk('sdb')], HEAD)).toEqual(report());
});

const changed = (change: (parsed: Record<string, unknown>) => void): ConfigMap => {
  const map = devicesReports.mapOf(report(), 'storage');
  const parsed = JSON.parse(map.data?.['report.json'] ?? '') as Record<string, unknown>;
  change(parsed);
  return { ...map, data: { 'report.json': JSON.stringify(parsed) } };
};

test('what a newer agent adds does no harm', () => {
  const map = changed((parsed) => {
    parsed.weather = 'fine';
    parsed.devices = [{ ...disk('sdb'), colour: 'red', state: { ...refusal('isHaunted'), since: 'long ago' } }];
  });
  expect(devicesReports.parse(map)?.devices).toEqual([
    disk('sdb', { state: refusal('isHaunted') as Standing['state'] }),
  ]);
});

const refusal = (fact: string) => ({
  is: 'refused',
  fact,
  why: 'is so',
  remedy: 'Call somebody',
  canBeApproved: false,
});

test.each<[string, ConfigMap]>([
  ['half a device left out', changed((parsed) => Object.assign(parsed, { leftOut: 0.5 }))],
  [
    'a state that is none',
    changed((parsed) => Object.assign(parsed, { devices: [{ ...disk('a'), state: { is: 'lost' } }] })),
  ],
  ['a size below zero', changed((parsed) => Object.assign(parsed, { devices: [disk('a', { sizeBytes: -1 })] }))],
  ['a size beyond all', changed((parsed) => Object.assign(parsed, { devices: [disk('a', { sizeBytes: 1e300 })] }))],
  [
    'a partition before its disk',
    changed((parsed) => Object.assign(parsed, { devices: [disk('a', { partitions: [{ ...SDB1, startBytes: -1 }] })] })),
  ],
  [
    'a volume that cannot be one',
    changed((parsed) => Object.assign(parsed, { devices: [disk('a', { volume: 'a\u001b[2J' })] })),
  ],
])('a ConfigMap with %s is no report', (_what, map) => {
  expect(devicesReports.parse(map)).toBeUndefined();
});
