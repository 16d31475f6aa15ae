import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { VERIFICATIONS, type WipeMethod } from '../../src/devices/contract.ts';
import type { WipeRecord } from '../../src/devices/ledger/entry.ts';
import { type WipingParts, wipeHeld } from '../../src/devices/wiping.ts';
import { type Clock, systemClock } from '../../src/kit/clock/clock.ts';
import { realHost } from '../../src/kit/host/host.ts';
import { keystream } from '../../src/kit/wipe/keystream.ts';
import { aLoopDevice, aLoopDeviceOver, type LoopDevice } from './loop-device.ts';
import type { WipeProcessOrder } from './wipe-process.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const HEAD = 100 * MIB;
const PROCESS = fileURLToPath(new URL('./wipe-process.ts', import.meta.url));
const host = realHost({ clock: systemClock });
const never = new AbortController().signal;
/** Each checkpoint falls due at once, so that a small device has some. */
const hasty: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() * 10_000 };

interface Way {
  readonly name: string;
  readonly method: WipeMethod;
  /** We write what the kernel could do. */
  readonly isDirect: boolean;
  readonly sizeBytes: number;
}

const SMALL = 48 * MIB + 512;
const LARGE = GIB + 150 * MIB + 512;

const WAYS: readonly Way[] = [
  { name: 'zero-head', method: 'zero-head', isDirect: true, sizeBytes: LARGE },
  { name: 'zero-head, which the kernel does', method: 'zero-head', isDirect: false, sizeBytes: LARGE },
  { name: 'zero-all', method: 'zero-all', isDirect: true, sizeBytes: SMALL },
  { name: 'zero-all, which the kernel does', method: 'zero-all', isDirect: false, sizeBytes: SMALL },
  { name: 'discard', method: 'discard', isDirect: false, sizeBytes: SMALL },
  { name: 'discard, and zeroes that we write', method: 'discard', isDirect: true, sizeBytes: SMALL },
  { name: 'random-all', method: 'random-all', isDirect: true, sizeBytes: SMALL },
];

describe('a wipe of a real device', () => {
  it.each(WAYS)('by $name changes what it has to, all of it, and nothing else', async (way) => {
    for (const wipeVerify of VERIFICATIONS) {
      await using loop = await aUsedDevice(way.sizeBytes);
      const records: WipeRecord[] = [];
      const receipt = await wiped(loop, way, { wipeVerify, record: async (record) => void records.push(record) });
      expect(receipt).toMatchObject({ method: way.method, verified: wipeVerify });
      await expectClean(loop, way, records.at(-1)?.seed);
    }
  });

  it('where the kernel has to do without the help that the device promised is complete as well', async () => {
    await using loop = await aUsedDevice(SMALL);
    await using memory = await memoryOf(loop, 64 * MIB);
    /** This filesystem cannot zero a range, and the loop device finds out only when it is asked to. */
    const backing = join(memory.path, 'backing');
    await host.exec(['cp', '--sparse=never', loop.backing, backing]);
    await using upper = await aLoopDeviceOver(backing);
    await wiped(upper, { method: 'zero-all', isDirect: false });
    expect(await isZero(backing, 0, SMALL)).toBe(true);
  });

  it.each(WAYS.filter(({ sizeBytes }) => sizeBytes === SMALL))(
    'by $name stays on it when the path leads to another meanwhile',
    async (way) => {
      await using loop = await aUsedDevice(way.sizeBytes);
      await using other = await aUsedDevice(way.sizeBytes);
      const before = await digest(other);
      const path = join(loop.directory, 'disk');
      await symlink(loop.path, path);
      const records: WipeRecord[] = [];
      await wiped({ ...loop, path }, way, {
        async record(record) {
          if (records.push(record) > 1) return;
          await symlink(other.path, join(loop.directory, 'new'));
          await rename(join(loop.directory, 'new'), path);
        },
      });
      await expectClean(loop, way, records.at(-1)?.seed);
      expect(await digest(other)).toBe(before);
    },
  );

  it.each(WAYS.filter(({ sizeBytes }) => sizeBytes === SMALL))(
    'by $name that shrinks meanwhile fails, and nothing else is written',
    async (way) => {
      await using loop = await aUsedDevice(way.sizeBytes);
      await using other = await aUsedDevice(way.sizeBytes);
      const before = await digest(other);
      let records = 0;
      const ended = wiped(loop, way, {
        async record() {
          if (++records > 1) return;
          await truncate(loop.backing, 16 * MIB);
          await host.exec(['losetup', '--set-capacity', loop.path]);
        },
      });
      await expect(ended).rejects.toMatchObject({ name: 'DeviceError', reason: 'out-of-range' });
      expect((await readFile(loop.backing)).length).toBe(16 * MIB);
      expect(await digest(other)).toBe(before);
    },
  );

  it.each(WAYS.filter(({ sizeBytes, method, isDirect }) => sizeBytes === SMALL && method !== 'discard' && isDirect))(
    'by $name that fails in the middle ends with its error',
    async (way) => {
      await using loop = await aUsedDevice(way.sizeBytes);
      let isWritable = true;
      const ended = wiped(loop, way, {
        progress() {
          if (!isWritable) return;
          isWritable = false;
          /** From now on nothing can be written to what is behind it. Nothing is begun meanwhile, since nothing else runs here. */
          execFileSync('chattr', ['+i', loop.backing]);
          loop.undo.defer(async () => void (await host.exec(['chattr', '-i', loop.backing])));
        },
      });
      await expect(ended).rejects.toMatchObject({ name: 'DeviceError', reason: 'io' });
      expect(await isZero(loop.backing, 0, SMALL)).toBe(false);
    },
  );

  it('of which a part has no room behind it ends with that', async () => {
    await using directory = await aLoopDevice(MIB);
    await using memory = await memoryOf(directory, 16 * MIB);
    const backing = join(memory.path, 'backing');
    await using file = await open(backing, 'w');
    await file.truncate(SMALL);
    await using loop = await aLoopDeviceOver(backing);
    for (const isDirect of [true, false]) {
      const ended = wiped(loop, { method: 'zero-all', isDirect });
      await expect(ended).rejects.toMatchObject({ name: 'DeviceError', reason: 'out-of-range' });
    }
  });

  it('is read back from the device, not from what the kernel remembers of it', async () => {
    await using loop = await aUsedDevice(SMALL);
    await using cached = await open(loop.path, 'r');
    let records = 0;
    const ended = wiped(
      loop,
      { method: 'zero-all', isDirect: true },
      {
        wipeVerify: 'all',
        async record({ doneBytes }) {
          records += 1;
          if (doneBytes < SMALL) return;
          /** Zeroes are remembered; then the device, by itself, has something else there. */
          await cached.read(Buffer.alloc(MIB), 0, MIB, 20 * MIB);
          await using device = await open(loop.backing, 'r+');
          await device.write(Buffer.from('x'), 0, 1, 20 * MIB + 5);
          const { buffer } = await cached.read(Buffer.alloc(MIB), 0, MIB, 20 * MIB);
          expect(buffer[5]).toBe(0);
        },
      },
    );
    await expect(ended).rejects.toThrow(`the byte at ${20 * MIB + 5} of ${loop.path} is not what was written`);
    expect(records).toBeGreaterThan(2);
  });
});

describe('a process that is killed while it wipes', () => {
  /** At its beginning, with pieces under way, between two pieces, and when only the reading back is left. */
  const kills: readonly Pick<WipeProcessOrder, 'killedAtProgress' | 'killedAtRecord'>[] = [
    { killedAtRecord: 1 },
    { killedAtProgress: 0 },
    { killedAtRecord: 2 },
    { killedAtProgress: 0.5 },
    { killedAtProgress: 1 },
  ];

  it.each(WAYS)('by $name is followed by one that completes it, wherever it was', async (way) => {
    for (const kill of kills) {
      await using loop = await aUsedDevice(way.sizeBytes);
      const record = join(loop.directory, 'record');
      const order = { path: loop.path, method: way.method, isDirect: way.isDirect, record };
      expect(await runProcess({ ...order, ...kill })).toBe('SIGKILL');
      await isFree(loop);
      expect(await runProcess(order)).toBe('complete');
      await expectClean(loop, way, (JSON.parse(await readFile(record, 'utf8')) as WipeRecord).seed);
    }
  });
});

/** The device, the wipe of it as the job does it, and what is to be different from that. */
async function wiped(
  loop: Pick<LoopDevice, 'path'>,
  { method, isDirect }: Pick<Way, 'method' | 'isDirect'>,
  parts: Partial<WipingParts> & { readonly wipeVerify?: 'sample' | 'all' } = {},
) {
  const { path } = loop;
  await using device = await host.devices.open(path, { access: 'read-write', exclusive: true, direct: true });
  const facts = { ...(await device.facts()), ...(isDirect && { writeZeroesMaxBytes: 0 }) };
  const { wipeVerify = 'sample', ...others } = parts;
  return await wipeHeld(
    device,
    { path, facts },
    { wipeMethod: method, wipeVerify },
    undefined,
    { commands: host, clock: hasty, record: async () => {}, progress: () => {}, ...others },
    never,
  );
}

async function runProcess(order: WipeProcessOrder): Promise<string> {
  try {
    await host.exec([process.execPath, PROCESS, JSON.stringify(order)]);
    return 'complete';
  } catch (error) {
    const { outcome } = error as { outcome?: { signal?: string } };
    if (!outcome?.signal) throw error;
    return outcome.signal;
  }
}

/** What the kernel was told goes on without the process that told it. */
async function isFree({ path }: LoopDevice): Promise<void> {
  await vi.waitFor(
    async () => {
      await using _device = await host.devices.open(path, { access: 'read-write', exclusive: true });
    },
    { timeout: 60_000 },
  );
}

/** Data at the beginning and the end, around where heads begin and end, and in between. */
async function aUsedDevice(sizeBytes: number): Promise<LoopDevice> {
  const loop = await aLoopDevice(sizeBytes);
  await using file = await open(loop.backing, 'r+');
  for (const { start, length } of usedPlaces(sizeBytes)) await file.write(used(length), 0, length, start);
  await file.sync();
  return loop;
}

const used = (length: number) => Buffer.alloc(length, 'somebody needs this');

function* usedPlaces(sizeBytes: number): Generator<{ start: number; length: number }> {
  const step = sizeBytes > GIB ? 25 * MIB : MIB;
  for (let start = 0; start < sizeBytes; start += step) yield { start, length: Math.min(MIB, sizeBytes - start) };
  if (sizeBytes > GIB)
    for (const edge of [HEAD, GIB, GIB + HEAD, sizeBytes]) yield { start: edge - 4096, length: 4096 };
}

async function expectClean(loop: LoopDevice, { method, sizeBytes }: Way, seed = ''): Promise<void> {
  if (method === 'zero-head') return expectOnlyHeadsAreZero(loop, sizeBytes);
  if (method === 'random-all') return expectKeystream(loop, sizeBytes, seed);
  expect(await isZero(loop.backing, 0, sizeBytes)).toBe(true);
}

async function expectKeystream({ backing }: LoopDevice, sizeBytes: number, seed: string): Promise<void> {
  const fill = keystream(seed);
  await using file = await open(backing, 'r');
  for (let start = 0; start < sizeBytes; start += MIB) {
    const expected = Buffer.alloc(Math.min(MIB, sizeBytes - start));
    fill(expected, start);
    const { buffer } = await file.read(Buffer.alloc(expected.length), 0, expected.length, start);
    expect(buffer.equals(expected)).toBe(true);
  }
}

async function expectOnlyHeadsAreZero({ backing }: LoopDevice, sizeBytes: number): Promise<void> {
  const isHead = (start: number) => start < HEAD || (start >= GIB && start < GIB + HEAD);
  expect(await isZero(backing, 0, HEAD)).toBe(true);
  expect(await isZero(backing, GIB, HEAD)).toBe(true);
  await using file = await open(backing, 'r');
  for (const { start, length } of usedPlaces(sizeBytes)) {
    if (isHead(start)) continue;
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, start);
    expect(buffer.equals(used(length)), `the data at ${start}`).toBe(true);
  }
}

async function isZero(path: string, start: number, length: number): Promise<boolean> {
  await using file = await open(path, 'r');
  const zeroes = Buffer.alloc(MIB);
  for (let offset = 0; offset < length; offset += MIB) {
    const part = Math.min(MIB, length - offset);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(part, 1), 0, part, start + offset);
    if (bytesRead !== part || !buffer.equals(zeroes.subarray(0, part))) return false;
  }
  return true;
}

const digest = async ({ backing }: LoopDevice): Promise<string> =>
  createHash('sha256')
    .update(await readFile(backing))
    .digest('hex');

/** A filesystem in memory with room for so much. */
async function memoryOf({ directory }: LoopDevice, sizeBytes: number) {
  const path = join(directory, 'memory');
  await mkdir(path);
  await host.exec(['mount', '-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', path]);
  return { path, [Symbol.asyncDispose]: async () => void (await host.exec(['umount', path])) };
}
