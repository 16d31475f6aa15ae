import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { alignedBuffer } from '../../src/kit/host/aligned-buffer.ts';
import { type DevicesSubject, devicesContract } from '../../src/kit/host/contract/devices.ts';
import type { DeviceNumber } from '../../src/kit/host/device-number.ts';
import { realHost } from '../../src/kit/host/host.ts';
import { openAnswer } from '../../src/kit/host/open-survey.ts';
import { aLoopDevice, aLoopDeviceOver, type LoopDevice } from './loop-device.ts';

const MIB = 2 ** 20;
const host = realHost({ clock: systemClock });

devicesContract('real', async (): Promise<DevicesSubject> => {
  const loop = await aLoopDevice(64 * MIB);
  const file = join(loop.directory, 'file');
  await writeFile(file, 'not a disk');
  return {
    host,
    disk: loop.path,
    sizeBytes: 64 * MIB,
    file,
    async symlink(target, name) {
      await symlink(target, join(loop.directory, name));
      return join(loop.directory, name);
    },
    makeReadOnly: () => readOnly(loop),
    mount: () => mounted(loop),
    async addPartition() {
      await run('addpart', loop.path, '1', '2048', '2048');
      loop.undo.defer(() => run('delpart', loop.path, '1'));
      return `${loop.path}p1`;
    },
    dispose: async () => loop[Symbol.asyncDispose](),
  };
});

describe('a real block device', () => {
  it('used as swap is busy and in the swap table', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    await run('mkswap', loop.path);
    await run('swapon', loop.path);
    loop.undo.defer(() => run('swapoff', loop.path));
    await expect(openExclusively(loop)).rejects.toMatchObject({ reason: 'busy' });
    const swaps = await host.tables.swaps();
    expect(swaps.find(({ path }) => path === loop.path)).toMatchObject({
      kind: 'partition',
      sizeBytes: 16 * MIB - 4096,
    });
  });

  it('that another process has open raw is not busy, and is seen in that process by its number', async () => {
    await using loop = await aLoopDevice(MIB);
    const strangers = async () =>
      openAnswer(await host.tables.openDevices(), [await numberOf(loop)], { except: ({ self }) => self });
    const abort = new AbortController();
    const device = await host.devices.open(loop.path, { access: 'read-write' });
    const stranger = host.exec(['sleep', '1000'], { inheritFds: [device], signal: abort.signal }).catch(() => {});
    try {
      await vi.waitFor(async () => expect((await strangers()).open).toBe('yes'), { timeout: 30_000 });
      await device.close();
      await using _exclusive = await openExclusively(loop);
      const opener = { pid: expect.any(Number), command: 'sleep', fd: 3, self: false };
      expect(await strangers()).toEqual({ open: 'yes', openers: [opener] });
    } finally {
      abort.abort();
      await stranger;
      await device.close();
    }
    expect((await strangers()).open).not.toBe('yes');
  });

  it('that nobody has open is free when all processes could be looked at, and unknown otherwise', async () => {
    await using loop = await aLoopDevice(MIB);
    const survey = await host.tables.openDevices();
    const answer = openAnswer(survey, [await numberOf(loop)]);
    expect(answer).toEqual(survey.unseen.length === 0 ? { open: 'no' } : { open: 'unknown', unseen: survey.unseen });
  });

  it('under a loop device is not busy, and is seen as what is behind that', async () => {
    await using lower = await aLoopDevice(MIB);
    const link = join(lower.directory, 'volume device');
    await symlink(lower.path, link);
    await using upper = await aLoopDeviceOver(link);
    await using device = await openExclusively(lower);
    const loops = await host.tables.loops();
    expect(loops.find(({ name }) => `/dev/${name}` === upper.path)?.backing).toEqual({
      kind: 'block-device',
      number: device.number,
    });
    expect(loops.find(({ name }) => `/dev/${name}` === lower.path)).toMatchObject({
      number: device.number,
      backingFile: lower.backing,
      backing: { kind: 'file' },
    });
    expect(await device.facts()).toMatchObject({ loopBackingFile: lower.backing });
  });

  it('whose backing file was deleted has something unknown behind it', async () => {
    await using loop = await aLoopDevice(MIB);
    await rm(loop.backing);
    const found = (await host.tables.loops()).find(({ name }) => `/dev/${name}` === loop.path);
    expect(found).toMatchObject({ backingFile: `${loop.backing} (deleted)`, backing: { kind: 'unknown' } });
  });

  it('that shrinks while it is open shows its new size', async () => {
    await using loop = await aLoopDevice(4 * MIB);
    await using device = await openExclusively(loop);
    await truncate(loop.backing, MIB);
    await run('losetup', '--set-capacity', loop.path);
    expect(await device.facts()).toMatchObject({ sizeBytes: MIB });
    await expect(device.write(Buffer.alloc(MIB), 2 * MIB)).rejects.toMatchObject({ reason: 'out-of-range' });
  });

  it('is zeroed by the kernel through the inherited descriptor while nobody else can open it exclusively', async () => {
    await using loop = await aLoopDevice(8 * MIB);
    await using device = await host.devices.open(loop.path, { access: 'read-write', exclusive: true, direct: true });
    const buffer = alignedBuffer(8 * MIB);
    await device.write(buffer.fill('x'), 0);
    const zero = ['blkdiscard', '--zeroout', '--force', '--offset', `${MIB}`, '--length', `${2 * MIB}`];
    await host.exec([...zero, '/proc/self/fd/3'], { inheritFds: [device] });
    await device.read(buffer, 0);
    expect([...runs(buffer)]).toEqual([
      ['x', MIB],
      ['\0', 2 * MIB],
      ['x', 5 * MIB],
    ]);
    await expect(host.exec(['blkdiscard', '--zeroout', loop.path])).rejects.toThrow(/busy/);
  });

  it('leaves no descriptor behind when opening it fails', async () => {
    await using loop = await aLoopDevice(MIB);
    await readOnly(loop);
    const before = await host.files.list('/proc/self/fd');
    for (let i = 0; i < 20; i++) await expect(openExclusively(loop)).rejects.toMatchObject({ reason: 'read-only' });
    expect((await host.files.list('/proc/self/fd')).length).toBeLessThan(before.length + 20);
    expect((await host.tables.openDevices()).openers.get(await numberOf(loop))).toBeUndefined();
  });
});

describe('the mounts of the host', () => {
  it('are found by the device, whatever the name of the mount point', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const mountPoint = await mounted(loop, 'with space\tand \\backslash #1');
    const number = await numberOf(loop);
    const found = (await host.tables.mounts({ pid: process.pid })).filter(({ device }) => device === number);
    expect(found).toMatchObject([{ mountPoint, root: '/', fsType: 'ext4', source: loop.path }]);
  });
});

function openExclusively(loop: LoopDevice) {
  return host.devices.open(loop.path, { access: 'read-write', exclusive: true });
}

async function numberOf(loop: LoopDevice): Promise<DeviceNumber> {
  const number = (await host.files.stat(loop.path))?.device;
  if (!number) throw new Error(`${loop.path} is no device`);
  return number;
}

/** The kernel remembers this even when the loop device gets another backing file. */
async function readOnly(loop: LoopDevice): Promise<void> {
  await run('blockdev', '--setro', loop.path);
  loop.undo.defer(() => run('blockdev', '--setrw', loop.path));
}

async function mounted(loop: LoopDevice, name = 'mnt'): Promise<string> {
  const mountPoint = join(loop.directory, name);
  await mkdir(mountPoint);
  await run('mkfs.ext4', '-q', loop.path);
  await run('mount', loop.path, mountPoint);
  loop.undo.defer(() => run('umount', mountPoint));
  return mountPoint;
}

async function run(...argv: string[]): Promise<void> {
  await host.exec(argv);
}

/** Runs of equal bytes. */
function* runs(bytes: Buffer): Generator<[string, number]> {
  for (let start = 0, end = 1; start < bytes.length; start = end++) {
    while (end < bytes.length && bytes[end] === bytes[start]) end++;
    yield [bytes.toString('latin1', start, start + 1), end - start];
  }
}
