/** Wiping disks that have larger blocks, help with it, fail in the middle of it, or lie. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WipeMethod } from '../../src/devices/contract.ts';
import { NotAsWritten } from '../../src/devices/wiping.ts';
import { aLoopDevice, type LoopDevice } from '../host/loop-device.ts';
import { fill, firstOldAt, stretchesOf } from './contents.ts';
import { host, MIB, run, settled, undo } from './machine.ts';
import { ScsiDisks } from './scsi-disks.ts';
import { Told, wiped } from './wiped.ts';

const SECTORS_PER_MIB = 2048;

describe('a disk with blocks of 4096 bytes', () => {
  const LEFT_BEHIND: Record<WipeMethod, readonly string[]> = {
    'zero-head': ['100 MiB zero', '4 MiB old'],
    'zero-all': ['104 MiB zero'],
    discard: ['104 MiB zero'],
    'random-all': ['104 MiB other'],
  };

  it.each(['zero-head', 'zero-all', 'discard', 'random-all'] as const)('is wiped by %s', async (method) => {
    await using disks = await ScsiDisks.load({ sizeMib: 104, blockBytes: 4096 });
    const path = await disks.pathOf(0);
    await fill(path);
    expect(await wiped(path, method)).toMatchObject({ method, verified: 'all' });
    expect(await stretchesOf(path)).toEqual(LEFT_BEHIND[method]);
  });

  it.each(['zero-head', 'zero-all'] as const)(
    'is wiped by %s where it cannot write zeroes by itself',
    async (method) => {
      await using disks = await ScsiDisks.load({ sizeMib: 104, blockBytes: 4096 });
      const path = await disks.pathOf(0);
      await disks.writeNoZeroes(0);
      expect(await setting(path, 'write_zeroes_max_bytes')).toBe(0);
      await fill(path);
      expect(await wiped(path, method)).toMatchObject({ method, verified: 'all' });
      expect(await stretchesOf(path)).toEqual(LEFT_BEHIND[method]);
    },
  );
});

it('a disk that writes zeroes by itself is told to, and gets no zeroes sent', async () => {
  await using disks = await ScsiDisks.load({ sizeMib: 128 });
  const path = await disks.pathOf(0);
  await fill(path);
  const before = await writesTo(path);
  await wiped(path, 'zero-all');
  const { requests, bytes } = await writesTo(path);
  const bytesPerRequest = (bytes - before.bytes) / (requests - before.requests);
  expect(bytes - before.bytes).toBe(128 * MIB);
  expect(bytesPerRequest).toBeGreaterThan(1024 * (await setting(path, 'max_sectors_kb')));
  expect(await stretchesOf(path)).toEqual(['128 MiB zero']);
});

describe('a disk that fails in the middle', () => {
  it.each(['zero-all', 'random-all'] as const)(
    'ends %s, which goes on from there when the disk is well again',
    async (method) => {
      await using disk = await aLoopDevice(64 * MIB);
      await fill(disk.path);
      const path = await mapped(disk, [
        `0 ${24 * SECTORS_PER_MIB} linear ${disk.path} 0`,
        `${24 * SECTORS_PER_MIB} 8 error`,
        `${24 * SECTORS_PER_MIB + 8} ${40 * SECTORS_PER_MIB - 8} linear ${disk.path} ${24 * SECTORS_PER_MIB + 8}`,
      ]);

      const told = new Told();
      await expect(wiped(path, method, told)).rejects.toMatchObject({
        name: 'DeviceError',
        reason: 'io',
        path,
        message: expect.stringMatching(/(write|zero) \d+ bytes at \d+ of .*\(EIO\)/),
      });
      const reached = told.records.at(-1);
      if (!reached) throw new Error('nothing was recorded');
      expect(reached.doneBytes).toBeGreaterThan(0);
      expect(Math.max(...told.records.map(({ doneBytes }) => doneBytes))).toBe(reached.doneBytes);
      expect(reached.doneBytes).toBeLessThanOrEqual(24 * MIB);
      expect((await stretchesOf(disk.path))[0]).toContain(method === 'zero-all' ? 'zero' : 'other');
      expect(await firstOldAt(disk.path)).toBeGreaterThanOrEqual(reached.doneBytes);

      await remap([`0 ${64 * SECTORS_PER_MIB} linear ${disk.path} 0`]);
      const goneOn = new Told();
      expect(await wiped(path, method, goneOn, reached)).toMatchObject({ method, bytes: 64 * MIB, verified: 'all' });
      expect(goneOn.records[0]).toEqual(reached);
      expect(Math.min(...goneOn.progress)).toBeGreaterThanOrEqual(reached.doneBytes);
      expect(await stretchesOf(disk.path)).toEqual([method === 'zero-all' ? '64 MiB zero' : '64 MiB other']);
    },
  );
});

it('a disk that cannot be read back is not said to be wiped', async () => {
  await using disks = await ScsiDisks.load({ sizeMib: 16 });
  const path = await disks.pathOf(0);
  await fill(path);
  await disks.failReads(true);
  const told = new Told();
  await expect(wiped(path, 'zero-all', told)).rejects.toMatchObject({
    name: 'DeviceError',
    reason: 'io',
    message: expect.stringMatching(/^cannot read \d+ bytes at \d+ of "\/dev\/sd/),
  });
  await disks.failReads(false);
  expect(await wiped(path, 'zero-all', new Told(), told.records.at(-1))).toMatchObject({ verified: 'all' });
  expect(await stretchesOf(path)).toEqual(['16 MiB zero']);
});

it('a disk that is taken out in the middle ends the wipe, which goes on when it is in again', async () => {
  await using disks = await ScsiDisks.load({ sizeMib: 32 });
  await fill(await disks.pathOf(0));
  let isIn = true;
  const told = new Told(async ({ doneBytes }) => {
    if (isIn && doneBytes > 0) await disks.takeOut(0);
    if (doneBytes > 0) isIn = false;
  });
  await expect(wiped(await disks.pathOf(0), 'random-all', told)).rejects.toMatchObject({ name: 'DeviceError' });
  await disks.putIn(0);
  const path = await disks.pathOf(0);
  const reached = told.records.at(-1);
  expect(await firstOldAt(path)).toBeGreaterThanOrEqual(reached?.doneBytes ?? Number.NaN);
  expect((await stretchesOf(path)).at(-1)).toContain('old');
  expect(await wiped(path, 'random-all', new Told(), reached)).toMatchObject({ bytes: 32 * MIB, verified: 'all' });
  expect(await stretchesOf(path)).toEqual(['32 MiB other']);
});

it('a disk that says to have written and has not is found out, and nothing of it counts as wiped', async () => {
  await using disk = await aLoopDevice(16 * MIB);
  await fill(disk.path);
  const dropsWrites = `flakey ${disk.path} 0 0 3600 1 drop_writes`;
  const path = await mapped(disk, [`0 ${16 * SECTORS_PER_MIB} ${dropsWrites}`]);
  const told = new Told();
  await expect(wiped(path, 'zero-all', told)).rejects.toBeInstanceOf(NotAsWritten);
  expect(told.records.at(-1)).toMatchObject({ doneBytes: 0 });
  expect(await stretchesOf(disk.path)).toEqual(['16 MiB old']);
});

it('a thin volume gives its room back when it is discarded, and reads as zeroes', async () => {
  await using disk = await aLoopDevice(400 * MIB);
  await run('vgcreate', '--yes', 'lab', disk.path);
  undo(disk, 'vgremove', '--force', '--yes', 'lab');
  await run('lvcreate', '--yes', '--type', 'thin-pool', '--name', 'pool', '--size', '320M', 'lab');
  await run('lvcreate', '--yes', '--thin', '--virtualsize', '256M', '--name', 'thin', 'lab/pool');
  await fill('/dev/lab/thin');
  expect(await roomUsed()).toBe(100);
  expect(await wiped('/dev/lab/thin', 'discard')).toMatchObject({ method: 'discard', verified: 'all' });
  expect(await roomUsed()).toBeLessThan(50);
  expect(await stretchesOf('/dev/lab/thin')).toEqual(['256 MiB zero']);
});

const roomUsed = async (): Promise<number> =>
  Number(await run('lvs', '--noheadings', '--options', 'data_percent', 'lab/thin'));

/** A device of these parts, one line each, on top of the disk. */
async function mapped(disk: LoopDevice, table: readonly string[]): Promise<string> {
  await run('modprobe', 'dm-flakey');
  await host.exec(['dmsetup', 'create', 'failing'], { input: table.join('\n') });
  undo(disk, 'dmsetup', 'remove', 'failing');
  await settled();
  return '/dev/mapper/failing';
}

async function remap(table: readonly string[]): Promise<void> {
  await run('dmsetup', 'suspend', 'failing');
  await host.exec(['dmsetup', 'load', 'failing'], { input: table.join('\n') });
  await run('dmsetup', 'resume', 'failing');
  await settled();
}

const setting = async (path: string, name: string): Promise<number> =>
  Number(await readFile(`/sys/block/${basename(path)}/queue/${name}`, 'utf8'));

/** As the kernel counts them. */
async function writesTo(path: string): Promise<{ requests: number; bytes: number }> {
  const numbers = (await readFile(`/sys/block/${basename(path)}/stat`, 'utf8')).trim().split(/\s+/).map(Number);
  return { requests: numbers[4] ?? 0, bytes: (numbers[6] ?? 0) * 512 };
}
