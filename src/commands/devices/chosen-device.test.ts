import { describe, expect, test } from 'vitest';
import { approvable } from '../../devices/approving.ts';
import { aNodeReport } from '../../devices/builders.ts';
import type { ReadReport, ReadStanding, ReadState } from '../../devices/node-report.ts';
import { UsageError } from '../line/usage-error.ts';
import { chosenDevice } from './chosen-device.ts';

const FOREIGN: ReadState = { is: 'refused', fact: 'hasForeignData', why: 'holds xfs', remedy: '', canBeApproved: true };

const disk = (name: string, parts: Partial<ReadStanding> = {}): ReadStanding => ({
  volume: `local-node-1-${name}`,
  path: `/dev/disks/${name}`,
  state: FOREIGN,
  device: `wwid:naa.${name}`,
  identity: { sizeBytes: 1024, wwid: `naa.${name}`, serial: `S-${name}`, partition: { index: 2, startBytes: 512 } },
  ...parts,
});

const report = (...devices: ReadStanding[]): ReadReport => aNodeReport({ devices });

describe('a device is chosen', () => {
  test.each(['/dev/disks/sdb', 'local-node-1-sdb', 'wwid:naa.sdb', 'naa.sdb partition 2', 'naa.sdb', 'S-sdb'])(
    'by %s',
    (named) => {
      const sdb = disk('sdb');
      expect(chosenDevice(report(disk('sda'), sdb, disk('sdc')), named)).toBe(sdb);
    },
  );

  test('not by a name that several have: they are told', () => {
    const twins = report(
      disk('sda', { identity: { sizeBytes: 1, serial: 'S' } }),
      disk('sdb', { identity: { sizeBytes: 1, serial: 'S' } }),
    );
    expect(() => chosenDevice(twins, 'S')).toThrow(UsageError);
    expect(() => chosenDevice(twins, 'S')).toThrow(
      '"S" is several devices of node-1: /dev/disks/sda (local-node-1-sda), /dev/disks/sdb (local-node-1-sdb); name one by its volume',
    );
  });

  test('not by its size, although status shows that', () => {
    const only = report(disk('sda', { identity: { sizeBytes: 1024 } }));
    expect(() => chosenDevice(only, 'known by its size only')).toThrow(UsageError);
  });

  test.each(['', 'sdb', '/dev/disks', '/dev/disks/SDB', 'undefined'])('not by %j: what there is is told', (named) => {
    const some = report(disk('sda', { state: { is: 'bound' } }), disk('sdb', { path: '/dev/\u001b[2J' }));
    expect(() => chosenDevice(some, named)).toThrow(UsageError);
    expect(() => chosenDevice(some, named)).toThrow(
      `node-1 has no device ${JSON.stringify(named)}; those that can be approved are /dev/\\u001b[2J (local-node-1-sdb)`,
    );
  });

  test('not where there is none', () => {
    expect(() => chosenDevice(report(), 'sda')).toThrow('node-1 has no device "sda"; none there can be approved');
  });
});

describe('a device can be approved', () => {
  test('when it is refused for what may be on it', () => {
    expect(approvable('node-1', disk('sdb'))).toEqual(disk('sdb'));
  });

  test.each<[ReadState, string]>([
    [{ is: 'bound' }, '/dev/disks/sdb of node-1 is not refused, so there is nothing to approve: it is bound'],
    [{ is: 'wiping', doneBytes: 1, ofBytes: 2 }, 'it is wiping 50 %'],
    [{ is: 'failed', why: 'EIO\u001b' }, 'it is failed: EIO\\u001b'],
    [
      { is: 'refused', fact: 'isMounted', why: 'is mounted at /data', remedy: 'Unmount it', canBeApproved: false },
      '/dev/disks/sdb of node-1 is mounted at /data, which no approval changes. Unmount it',
    ],
  ])('not when it is %j', (state, why) => {
    expect(() => approvable('node-1', disk('sdb', { state }))).toThrow(why);
  });

  test.each([{ identity: undefined }, { device: undefined }])('not without knowing which one it is (%j)', (parts) => {
    expect(() => approvable('node-1', disk('sdb', parts))).toThrow('does not say which device /dev/disks/sdb is');
  });
});
