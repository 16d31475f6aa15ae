import { describe, expect, it } from 'vitest';
import type { DeviceFacts } from '../kit/host/block-device.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Loop } from '../kit/host/loops.ts';
import { aDisk, aPartition, GIB } from './builders.ts';
import { relativesOf } from './relatives.ts';

const MIB = 2 ** 20;

/** A loop device of 1 GiB, and its partitions, each of 1 MiB. */
const aLoop = (index: number, backing: string, ...starts: readonly number[]): readonly DeviceFacts[] => {
  const { wwid: _, ...facts } = aDisk({ number: `7:${index}`, name: `loop${index}`, loopBackingFile: backing });
  const parts = starts.map((startBytes, i) => aPart(facts, i + 1, startBytes));
  const partitions = parts.map(({ number, name, sizeBytes, partition: { startBytes } }) =>
    aPartition(name, { number, sizeBytes, startBytes }),
  );
  return [{ ...facts, partitions }, ...parts];
};

const aPart = ({ number, name, loopBackingFile: _, ...disk }: DeviceFacts, index: number, startBytes: number) => ({
  ...disk,
  number: `259:${number.split(':')[1]}${index}` as DeviceNumber,
  name: `${name}p${index}`,
  sizeBytes: MIB,
  partition: { disk: number, index, startBytes },
});

const on = (number: DeviceNumber, backing: DeviceNumber): Loop => ({
  name: 'a loop',
  number,
  backingFile: '/dev/b',
  backing: { kind: 'block-device', number: backing },
});

function namesOf(name: string, all: readonly DeviceFacts[], loops: readonly Loop[] = []) {
  const facts = all.find((one) => one.name === name);
  if (!facts) throw new Error(`there is no ${name}`);
  const { sharing, beneath } = relativesOf(facts, all, loops);
  const sorted = (of: readonly DeviceFacts[]) => of.map((one) => one.name).sort();
  return { sharing: sorted(sharing), beneath: sorted(beneath) };
}

describe('who shares the bytes of a device', () => {
  it('is nobody, if it is a disk like others', () => {
    const all = [aDisk(), aDisk({ number: '8:32', name: 'sdc', wwid: 'naa.2' }), ...aLoop(0, '/a'), ...aLoop(1, '/b')];
    for (const { name } of all) expect(namesOf(name, all)).toEqual({ sharing: [], beneath: [] });
  });

  it('is its disk and its partitions, and not a partition beside it', () => {
    const all = aLoop(0, '/a', 0, MIB);
    expect(namesOf('loop0', all).sharing).toEqual(['loop0p1', 'loop0p2']);
    expect(namesOf('loop0p1', all).sharing).toEqual(['loop0']);
  });

  it('is a loop device on the same file with all its parts, wherever each of both begins', () => {
    const all = [...aLoop(0, '/a', 0, MIB), ...aLoop(1, '/a', 8 * MIB), ...aLoop(2, '/b')];
    expect(namesOf('loop0p1', all).sharing).toEqual(['loop0', 'loop1', 'loop1p1']);
  });

  it('is not a disk without a medium', () => {
    const all = [aDisk(), aDisk({ number: '8:32', name: 'sdc', sizeBytes: 0 })];
    expect(namesOf('sdb', all).sharing).toEqual([]);
  });

  it('is what is behind a loop device and behind that, with its parts', () => {
    const disk = aDisk();
    const all = [disk, aPart(disk, 1, 0), ...aLoop(0, '/dev/b', 0), ...aLoop(1, '/dev/loop0')];
    const loops = [on('7:0', disk.number), on('7:1', '7:0')];
    expect(namesOf('loop1', all, loops).sharing).toEqual(['loop0', 'loop0p1', 'sdb', 'sdbp1']);
    expect(namesOf('loop0p1', all, loops).sharing).toEqual(['loop0', 'sdb', 'sdbp1']);
  });

  it('is found although loop devices go round in a circle', () => {
    const all = [...aLoop(0, '/dev/loop1'), ...aLoop(1, '/dev/loop0')];
    expect(namesOf('loop0', all, [on('7:0', '7:1'), on('7:1', '7:0')]).sharing).toEqual(['loop1']);
  });
});

describe('what a device is built of', () => {
  it('is all that is below it, partitions and the disks that they are of', () => {
    const holders = ['md0'];
    const part = { number: '8:17', name: 'sdb1', sizeBytes: GIB / 2, holders } as const;
    const all = [
      aDisk({ partitions: [aPartition('sdb1', part)] }),
      aDisk({ ...part, partition: { disk: '8:16', index: 1, startBytes: 0 } }),
      aDisk({ number: '8:32', name: 'sdc', wwid: 'naa.2', holders }),
      aDisk({ number: '9:0', name: 'md0', wwid: 'md', holders: ['dm-0'] }),
      aDisk({ number: '252:0', name: 'dm-0', wwid: 'dm' }),
      aDisk({ number: '8:48', name: 'sdd', wwid: 'naa.3', holders: ['dm-1'] }),
    ];
    expect(namesOf('dm-0', all)).toEqual({ sharing: [], beneath: ['md0', 'sdb', 'sdb1', 'sdc'] });
  });
});
