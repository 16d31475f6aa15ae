/** What the checkers say of real filesystems, and what their beginnings tell of those that are not whole. */
import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import { makeFileSystem } from '../../../src/lvm/commands.ts';
import { conditionOf } from '../../../src/lvm/condition.ts';
import { FILE_SYSTEMS, type FileSystem } from '../../../src/lvm/contract.ts';
import { aLoopDevice } from '../loop-device.ts';

const MIB = 2 ** 20;
const host = realHost({ clock: systemClock });

async function aFileSystem(fsType: FileSystem) {
  const loop = await aLoopDevice(320 * MIB);
  const device = loop.path;
  const { argv, options } = makeFileSystem({ fsType, fsArgs: [], device });
  await host.exec(argv, options);
  return {
    condition: () => conditionOf(host, fsType, { device, seen: device }),
    debug: (request: string) => host.exec(['debugfs', '-w', '-R', request, device]),
    /** Past its filesystem. */
    async write(bytes: Uint8Array, position: number): Promise<void> {
      await using file = await open(device, 'r+');
      await file.write(bytes, 0, bytes.length, position);
      await file.sync();
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}

it.each(FILE_SYSTEMS)('%s is whole when mkfs has made it', async (fsType) => {
  await using made = await aFileSystem(fsType);
  expect(await made.condition()).toBe('whole');
});

it.each(['ext2', 'ext3', 'ext4'] as const)(
  '%s that is not whole is damaged when it was ever mounted',
  async (fsType) => {
    await using made = await aFileSystem(fsType);
    await made.debug('clri <2>');
    expect(await made.condition()).toBe('begun');
    await made.debug('set_super_value mnt_count 1');
    expect(await made.condition()).toBe('damaged');
    await made.debug('set_super_value mnt_count 0');
    await made.debug('set_super_value mtime now');
    expect(await made.condition()).toBe('damaged');
  },
);

it('xfs that is not whole is damaged unless mkfs was not done with it', async () => {
  await using made = await aFileSystem('xfs');
  await made.write(Buffer.of(1), 126);
  expect(await made.condition()).toBe('begun');
  await made.write(Buffer.of(0), 126);
  expect(await made.condition()).toBe('whole');
  await made.write(Buffer.alloc(512), 512);
  expect(await made.condition()).toBe('damaged');
});

it('btrfs that is not whole is damaged: before mkfs is done with it, nobody takes it for one', async () => {
  await using made = await aFileSystem('btrfs');
  await made.write(Buffer.alloc(60 * MIB), MIB);
  expect(await made.condition()).toBe('damaged');
});
