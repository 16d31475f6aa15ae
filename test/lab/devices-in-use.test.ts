/** Nothing that is in use is wiped: each use tried with the real thing. */
import { expect, it } from 'vitest';
import { aLoopDevice, type LoopDevice } from '../host/loop-device.ts';
import { whyNot } from './judgement.ts';
import { host, MIB, run, settled, undo } from './machine.ts';

const DISK_BYTES = 24 * MIB;
const SECTORS_PER_MIB = 2048;

it('an empty disk may be wiped', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  expect(await whyNot(disk.path)).toBeUndefined();
});

it('a physical volume of LVM with an active logical volume has a holder, whatever a person approves', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  await aVolumeGroup(disk, disk.path);
  const volume = await kernelNameOf('/dev/lab/data');
  expect(await whyNot(disk.path)).toEqual({ fact: 'hasHolders', holders: [volume], under: '' });
  expect(
    await whyNot(disk.path, { approved: new Set(['hasHolders', 'hasForeignData']), wipeExisting: true }),
  ).toMatchObject({ fact: 'hasHolders' });
});

it('a physical volume whose volume group is not active is foreign data', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  await aVolumeGroup(disk, disk.path);
  /** Else udev would activate it again as soon as somebody who might have written to the disk closes it, and we are such. */
  await run('vgchange', '--setautoactivation', 'n', 'lab');
  await run('vgchange', '--activate', 'n', 'lab');
  expect(await whyNot(disk.path)).toEqual({ fact: 'hasForeignData', what: 'LVM2_member' });
  expect(await whyNot(disk.path, { approved: new Set(['hasForeignData']) })).toBeUndefined();
});

it('a disk with a physical volume on one of its partitions has a holder', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  const partition = await aPartition(disk);
  await aVolumeGroup(disk, partition);
  const volume = await kernelNameOf('/dev/lab/data');
  const name = partition.replace('/dev/', '');
  expect(await whyNot(disk.path)).toEqual({ fact: 'hasHolders', holders: [volume], under: name });
  expect(await whyNot(partition)).toEqual({ fact: 'hasHolders', holders: [volume], under: '' });
});

it('a partition of a disk that has a holder as a whole is held by that one, too', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  const partition = await aPartition(disk);
  const sectors = (DISK_BYTES / MIB) * SECTORS_PER_MIB;
  await run('dmsetup', 'create', 'whole', '--table', `0 ${sectors} linear ${disk.path} 0`);
  undo(disk, 'dmsetup', 'remove', 'whole');
  const holder = await kernelNameOf('/dev/mapper/whole');
  expect(await whyNot(partition)).toEqual({
    fact: 'hasHolders',
    holders: [holder],
    under: disk.path.replace('/dev/', ''),
  });
});

it('a LUKS device that is open has a holder', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  await luks('luksFormat', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', '1000', disk.path);
  await luks('open', disk.path, 'opened');
  undo(disk, 'cryptsetup', 'close', 'opened');
  const opened = await kernelNameOf('/dev/mapper/opened');
  expect(await whyNot(disk.path)).toEqual({ fact: 'hasHolders', holders: [opened], under: '' });
});

it('a LUKS device that is closed is foreign data', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  await luks('luksFormat', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', '1000', disk.path);
  expect(await whyNot(disk.path)).toEqual({ fact: 'hasForeignData', what: 'crypto_LUKS' });
});

it('each member of a running RAID has a holder, and of a stopped one foreign data', async () => {
  await using one = await aLoopDevice(DISK_BYTES);
  await using other = await aLoopDevice(DISK_BYTES);
  const raid = ['--level', '1', '--raid-devices', '2', '--metadata', '1.2', '--assume-clean', '--run'];
  await run('mdadm', '--create', '/dev/md7', ...raid, one.path, other.path);
  undo(other, 'mdadm', '--stop', '--scan');
  for (const { path } of [one, other])
    expect(await whyNot(path)).toEqual({ fact: 'hasHolders', holders: ['md7'], under: '' });
  await run('mdadm', '--stop', '/dev/md7');
  for (const { path } of [one, other])
    expect(await whyNot(path)).toEqual({ fact: 'hasForeignData', what: 'linux_raid_member' });
});

it('a disk that is swapped to is not wiped, and neither is one with a partition that is', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  const partition = await aPartition(disk);
  undo(disk, 'swapoff', '--all');
  for (const [path, under] of [
    [disk.path, ''],
    [partition, partition.replace('/dev/', '')],
  ] as const) {
    await run('mkswap', path);
    await run('swapon', path);
    expect(await whyNot(disk.path)).toEqual({ fact: 'isSwap', under });
    await run('swapoff', path);
  }
});

it('a disk that was made read-only is not wiped', async () => {
  await using disk = await aLoopDevice(DISK_BYTES);
  await run('blockdev', '--setro', disk.path);
  expect(await whyNot(disk.path)).toEqual({ fact: 'isReadOnly' });
  await run('blockdev', '--setrw', disk.path);
  expect(await whyNot(disk.path)).toBeUndefined();
});

/** `lab`, with one logical volume that fills a part of it. */
async function aVolumeGroup(disk: LoopDevice, path: string): Promise<void> {
  await run('vgcreate', '--yes', 'lab', path);
  undo(disk, 'vgremove', '--force', '--yes', 'lab');
  await run('lvcreate', '--yes', '--name', 'data', '--size', '8M', 'lab');
}

/** Of 16 MiB, from 1 MiB on. */
async function aPartition(disk: LoopDevice): Promise<string> {
  await run('addpart', disk.path, '1', `${SECTORS_PER_MIB}`, `${16 * SECTORS_PER_MIB}`);
  undo(disk, 'delpart', disk.path, '1');
  await settled();
  return `${disk.path}p1`;
}

const luks = (...argv: string[]) =>
  host.exec(['cryptsetup', '--batch-mode', '--key-file', '-', ...argv], { input: 'secret' });

const kernelNameOf = async (path: string): Promise<string> =>
  (await run('readlink', '--canonicalize', path)).replace('/dev/', '');
