import { createHash, randomBytes } from 'node:crypto';
import { fsync, readdirSync, readlinkSync } from 'node:fs';
import { link, open, readdir, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { settled, VirtualClock } from '../kit/clock/virtual.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import type { BlobInfo } from '../pool-client/protocol.ts';
import { Directories } from './directories.ts';
import { DiskStore } from './disk-store.ts';
import { GatheredFsync } from './gathered-fsync.ts';
import { HashingThread } from './hashing-thread.ts';
import { hashOf } from './keys.ts';
import type { Layout } from './layout.ts';
import { OUTGOING } from './memory-shares.ts';
import { aVolume, dropVolume } from './test-volume.ts';
import { PIECE_BYTES } from './trailer.ts';

let layout: Layout;
let log: RecordingLog;
let store: DiskStore;
beforeEach(async () => {
  layout = aVolume();
  log = new RecordingLog();
  store = await started();
});
afterEach(() => dropVolume(layout));

const MOST_BYTES = 64 * PIECE_BYTES;

/** `fsync` is told the path of each directory that is put on the disk. */
async function started(fsyncOf: (path: string) => Promise<void> = async () => {}): Promise<DiskStore> {
  const directories = new Directories(
    new GatheredFsync(async (descriptor) => {
      await fsyncOf(readlinkSync(`/proc/self/fd/${descriptor}`));
      await promisify(fsync)(descriptor);
    }),
  );
  const opened = await DiskStore.open({
    layout,
    clock: new VirtualClock(),
    random: Math.random,
    log,
    mostBytes: MOST_BYTES,
    directories,
  });
  await opened.count();
  return opened;
}

async function* inChunks(bytes: Buffer, chunkBytes = 10_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

const put = (key: string, bytes: Buffer | string, chunkBytes?: number) =>
  store.put(key, inChunks(Buffer.from(bytes), chunkBytes));

async function get(key: string, range?: { start: number; end: number }): Promise<Buffer | undefined> {
  await using blob = await store.open(key);
  return blob && Buffer.concat(await Array.fromAsync(blob.read(range), (piece) => Buffer.from(piece)));
}

/** Of this process. */
const openFiles = (): readonly string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // that of the list itself
    }
  });

const sha256Of = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** Turns one bit of a file round. */
async function flipped(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 4]), 0, 1, at);
}

async function allKeys(page: { limit: number; prefix?: string }): Promise<string[]> {
  const items: BlobInfo[] = [];
  let after: string | undefined;
  do {
    const next = await store.list({ ...page, ...(after !== undefined && { after }) });
    expect(next.items.length).toBeLessThanOrEqual(page.limit);
    items.push(...next.items);
    after = next.continue;
  } while (after !== undefined);
  return items.map(({ key }) => key);
}

describe('a large blob whose digest a thread of its own makes', () => {
  let hashing: HashingThread;
  beforeEach(async () => {
    hashing = new HashingThread();
    const parts = { layout, clock: new VirtualClock(), random: Math.random, log, mostBytes: MOST_BYTES, hashing };
    store = await DiskStore.open(parts);
    await store.count();
  });
  afterEach(() => hashing[Symbol.asyncDispose]());

  const bytes = randomBytes(37 * PIECE_BYTES + 77);
  const whole = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };

  test('is stored and read back, by one that has no thread, too', async () => {
    expect(await store.put('k', inChunks(bytes), whole)).toEqual({ made: true, info: { key: 'k', ...whole } });
    store = await started();
    expect(bytes.equals((await get('k')) ?? Buffer.of())).toBe(true);
  });

  test('is not stored when it is not what was announced, and nothing of it is left', async () => {
    const announced = { size: bytes.length, sha256: sha256Of('other bytes') };
    await expect(store.put('k', inChunks(bytes), announced)).rejects.toThrow();
    await expect(store.put('k', inChunks(bytes.subarray(1)), whole)).rejects.toThrow();
    expect(await get('k')).toBeUndefined();
    await expect.poll(() => store.isEmpty()).toBe(true);
  });

  test('is stored also when the thread has ended: whatever comes then is hashed here', async () => {
    await hashing[Symbol.asyncDispose]();
    expect(await store.put('k', inChunks(bytes), whole)).toMatchObject({ made: true, info: whole });
    expect(bytes.equals((await get('k')) ?? Buffer.of())).toBe(true);
  });

  test('is not stored when the thread ends under it', async () => {
    const broken = async function* () {
      yield bytes.subarray(0, 20 * PIECE_BYTES);
      await hashing[Symbol.asyncDispose]();
      yield bytes.subarray(20 * PIECE_BYTES);
    };
    await expect(store.put('k', broken(), whole)).rejects.toThrow('the agent ends');
    expect(await get('k')).toBeUndefined();
  });
});

describe('what was stored is read back', () => {
  const sizes = [0, 1, 4096, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 9 * PIECE_BYTES, 13 * PIECE_BYTES + 77];
  test.each(sizes)('with %i bytes', async (size) => {
    const bytes = randomBytes(size);
    const { made, info } = await put('k', bytes, 50_001);
    expect({ made, info }).toEqual({ made: true, info: { key: 'k', size, sha256: sha256Of(bytes) } });
    expect(bytes.equals((await get('k')) ?? Buffer.of())).toBe(true);
  });

  test('in any range', async () => {
    const bytes = randomBytes(10 * PIECE_BYTES + 5);
    await put('k', bytes);
    for (const edge of [0, 1, PIECE_BYTES, 8 * PIECE_BYTES, 8 * PIECE_BYTES + 1, bytes.length - 1]) {
      for (const end of [edge, edge + 1, edge + PIECE_BYTES, bytes.length].filter((each) => each <= bytes.length)) {
        expect((await get('k', { start: edge, end }))?.equals(bytes.subarray(edge, end))).toBe(true);
      }
    }
  });

  test('by the next agent on the same directory, which counts it', async () => {
    await put('a', 'one');
    await put('b', 'three');
    store = await started();
    expect((await get('b'))?.toString()).toBe('three');
    expect(store.totals()).toEqual({ blobs: 2, bytes: 8, corrupt: 0 });
  });

  test('and nothing is left of the upload', async () => {
    await put('a', 'one');
    await expect.poll(() => readdir(layout.uploads)).toEqual([]);
  });
});

describe('a key is written once', () => {
  test('the same bytes again are not made again', async () => {
    await put('k', 'bytes');
    expect(await put('k', 'bytes')).toMatchObject({ made: false, info: { sha256: sha256Of('bytes') } });
    expect(store.totals()).toEqual({ blobs: 1, bytes: 5, corrupt: 0 });
  });

  test('other bytes are refused, and the first stay', async () => {
    await put('k', 'bytes');
    await expect(put('k', 'other')).rejects.toMatchObject({ reason: 'Conflict' });
    expect((await get('k'))?.toString()).toBe('bytes');
  });

  test('of many at the same time with other bytes exactly one wins', async () => {
    const bodies = Array.from({ length: 16 }, (_, index) => `body ${index}`);
    const results = await Promise.allSettled(bodies.map((body) => put('k', body)));
    const won = results.flatMap((each, index) => (each.status === 'fulfilled' ? [bodies[index]] : []));
    expect(won).toEqual([(await get('k'))?.toString()]);
    expect(store.totals().blobs).toBe(1);
  });

  test('of many at the same time with the same bytes exactly one makes it', async () => {
    const results = await Promise.all(Array.from({ length: 16 }, () => put('k', 'bytes')));
    expect(results.filter(({ made }) => made)).toHaveLength(1);
    expect(store.totals()).toEqual({ blobs: 1, bytes: 5, corrupt: 0 });
  });
});

describe('nothing is stored', () => {
  const nothingIsLeft = async () => {
    expect(await get('k')).toBeUndefined();
    await expect.poll(() => store.isEmpty()).toBe(true);
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 0 });
  };

  test('of bytes that are not those that were announced', async () => {
    const sha256 = sha256Of('bytes');
    await expect(store.put('k', inChunks(Buffer.from('bites')), { sha256 })).rejects.toMatchObject({
      reason: 'DigestMismatch',
    });
    await nothingIsLeft();
  });

  test('of fewer bytes than were announced', async () => {
    await expect(store.put('k', inChunks(Buffer.from('bytes')), { size: 6 })).rejects.toMatchObject({
      reason: 'BadRequest',
    });
    await nothingIsLeft();
  });

  test('of more bytes than a blob may have', async () => {
    await put('just', randomBytes(MOST_BYTES));
    await store.remove('just');
    await expect(put('k', randomBytes(MOST_BYTES + 1))).rejects.toMatchObject({ reason: 'TooLarge' });
    await nothingIsLeft();
  });

  test('of a body that breaks off', async () => {
    async function* broken() {
      yield randomBytes(2 * MOST_BYTES ** 0.5);
      yield randomBytes(PIECE_BYTES * 9);
      throw new Error('the connection was reset');
    }
    await expect(store.put('k', broken())).rejects.toThrow('the connection was reset');
    await nothingIsLeft();
  });
});

test('what comes in tiny pieces is not gathered until it is much: each of them takes many times its bytes of memory', async () => {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  async function* tiny() {
    for (let count = 0; count < 5_000; count++) yield Buffer.from('x');
    await mayEnd;
  }
  const stored = store.put('k', tiny());
  const written = async () => {
    const [name] = await readdir(layout.uploads);
    return name === undefined ? 0 : (await stat(join(layout.uploads, name))).size;
  };
  await expect.poll(written).toBeGreaterThan(3_000);
  end();
  expect(await stored).toMatchObject({ made: true, info: { size: 5_000 } });
});

describe('what is removed', () => {
  test('is gone for ever', async () => {
    await put('k', 'bytes');
    expect(await store.remove('k')).toMatchObject({ is: 'removed' });
    expect(await get('k')).toBeUndefined();
    expect(await store.remove('k')).toEqual({ is: 'absent' });
    store = await started();
    expect(await get('k')).toBeUndefined();
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 0 });
  });

  test('is only what was meant: not what was stored under the key since, and not what has gone bad', async () => {
    const { info } = await put('k', 'what was meant');
    const isMeant = (sha256: string) => sha256 === info.sha256;
    await store.remove('k');
    await put('k', 'what was stored since');
    expect(await store.remove('k', isMeant)).toEqual({ is: 'another' });
    expect((await get('k'))?.toString()).toBe('what was stored since');
    await flipped(layout.blob(hashOf('k')), 0);
    await expect(get('k')).rejects.toThrow();
    expect(await store.remove('k', isMeant)).toEqual({ is: 'another' });
    expect(store.totals().corrupt).toBe(1);
  });

  test('can be read to its end by who has opened it', async () => {
    const bytes = randomBytes(10 * PIECE_BYTES);
    await put('k', bytes);
    await using blob = await store.open('k');
    await store.remove('k');
    expect(Buffer.concat(await Array.fromAsync(blob?.read() ?? [], (piece) => Buffer.from(piece))).equals(bytes)).toBe(
      true,
    );
  });
});

describe('a listing', () => {
  const keys = Array.from({ length: 100 }, (_, index) => (index % 3 === 0 ? `photos/${index}` : `${index}`));
  const inOrder = keys.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
  beforeEach(async () => {
    for (const key of keys) await put(key, key);
  });

  test.each([1, 7, 50, 100, 1000])('has each blob once, in pages of %i', async (limit) => {
    expect(await allKeys({ limit })).toEqual(inOrder);
  });

  test('says nothing of a next page when there is none', async () => {
    expect((await store.list({ limit: 100 })).continue).toBeUndefined();
    expect((await store.list({ limit: 99 })).continue).toBeDefined();
  });

  test('has only the keys that begin as was asked for', async () => {
    const photos = inOrder.filter((key) => key.startsWith('photos/'));
    expect(await allKeys({ limit: 10, prefix: 'photos/' })).toEqual(photos);
  });

  test('leaves nothing out and repeats nothing of what stays, whatever comes and goes between two pages', async () => {
    const first = await store.list({ limit: 40 });
    for (const key of inOrder.filter((_, index) => index % 2 === 0)) await store.remove(key);
    for (let index = 0; index < 20; index++) await put(`new ${index}`, 'x');
    const rest = await store.list({ limit: 1000, after: first.continue ?? '' });
    const both = [...first.items, ...rest.items].map(({ key }) => key);
    expect(new Set(both).size).toBe(both.length);
    expect(both).toEqual(expect.arrayContaining(inOrder.filter((_, index) => index % 2 === 1)));
  });

  test('takes no place to go on from that it did not give', async () => {
    await expect(store.list({ limit: 10, after: '../../etc' })).rejects.toMatchObject({ reason: 'BadRequest' });
  });
});

describe('a blob that has gone bad', () => {
  const bytes = randomBytes(9 * PIECE_BYTES + 100);
  const path = () => layout.blob(hashOf('k'));
  beforeEach(() => put('k', bytes));

  const places = {
    'in its first byte': 0,
    'in its last byte': bytes.length - 1,
    'in the checksum of a piece': bytes.length + 5,
    'in what is said of it': bytes.length + 60,
  };
  test.each(Object.entries(places))('%s is never served, and is put aside', async (_, at) => {
    await flipped(path(), at);
    await expect(get('k')).rejects.toMatchObject({ reason: 'Corrupt' });
    expect(await readdir(layout.quarantine)).toEqual([hashOf('k')]);
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 1 });
    await expect(get('k')).rejects.toMatchObject({ reason: 'Corrupt' });
    expect(log.at('error')).toHaveLength(1);
  });

  test('gives no byte of the bad piece to who reads a range of it', async () => {
    await flipped(path(), 8 * PIECE_BYTES);
    expect((await get('k', { start: 0, end: 8 * PIECE_BYTES }))?.equals(bytes.subarray(0, 8 * PIECE_BYTES))).toBe(true);
    await using blob = await store.open('k');
    const read: Buffer[] = [];
    const reading = async () => {
      for await (const piece of blob?.read() ?? []) read.push(Buffer.from(piece));
    };
    await expect(reading()).rejects.toMatchObject({ reason: 'Corrupt' });
    expect(Buffer.concat(read).equals(bytes.subarray(0, 8 * PIECE_BYTES))).toBe(true);
  });

  test.each([0, 10, 9 * PIECE_BYTES])('since only %i bytes of its file are left is put aside', async (left) => {
    await truncate(path(), left);
    await expect(get('k')).rejects.toMatchObject({ reason: 'Corrupt' });
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 1 });
  });

  test('since its file is that of another key is put aside', async () => {
    await rename(path(), layout.blob(hashOf('other')));
    await expect(get('other')).rejects.toMatchObject({ reason: 'Corrupt' });
  });

  test('is found by a look at all of it', async () => {
    await flipped(path(), 5 * PIECE_BYTES);
    await expect(store.verify(hashOf('k'), async () => {})).rejects.toMatchObject({ reason: 'Corrupt' });
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 1 });
  });

  test('is counted as such by the next agent, also one whose end cannot be read', async () => {
    await truncate(path(), 100);
    store = await started();
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 1 });
    store = await started();
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 1 });
  });

  test('is data: the store is not empty until it is removed', async () => {
    await flipped(path(), 0);
    await expect(get('k')).rejects.toThrow();
    await expect.poll(() => readdir(layout.uploads)).toEqual([]);
    expect(await store.isEmpty()).toBe(false);
    expect(await store.remove('k')).toEqual({ is: 'given up' });
    expect(await store.isEmpty()).toBe(true);
    expect(store.totals().corrupt).toBe(0);
    expect(await get('k')).toBeUndefined();
  });

  test('is not listed', async () => {
    await put('good', 'x');
    await flipped(path(), bytes.length + 60);
    expect(await allKeys({ limit: 10 })).toEqual(['good']);
  });

  test('comes back by the bytes that were stored, and by no others', async () => {
    await flipped(path(), 0);
    await expect(get('k')).rejects.toThrow();
    await expect(put('k', 'other')).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await put('k', bytes)).toMatchObject({ made: true });
    expect((await get('k'))?.equals(bytes)).toBe(true);
    expect(store.totals()).toEqual({ blobs: 1, bytes: bytes.length, corrupt: 0 });
    expect(await readdir(layout.quarantine)).toEqual([]);
  });

  test('does not come back where nobody can tell any more which bytes it had, until it is removed', async () => {
    await flipped(path(), bytes.length + 60);
    await expect(put('k', bytes)).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await store.remove('k')).toEqual({ is: 'given up' });
    expect(await put('k', bytes)).toMatchObject({ made: true });
  });
});

describe('after a crash', () => {
  test('what had only begun to come in is cleared away', async () => {
    await writeFile(join(layout.uploads, `${hashOf('k')}.x`), 'half');
    await writeFile(join(layout.uploads, 'anything'), '');
    store = await started();
    expect(await store.isEmpty()).toBe(true);
  });

  test('what had its name and is whole stays', async () => {
    await put('k', 'bytes');
    await link(layout.blob(hashOf('k')), join(layout.uploads, `${hashOf('k')}.x`));
    store = await started();
    expect((await get('k'))?.toString()).toBe('bytes');
    expect(await readdir(layout.uploads)).toEqual([]);
  });

  test.each([0, 3 * PIECE_BYTES, 5 * PIECE_BYTES])(
    'what had its name and only %i bytes was never stored',
    async (left) => {
      await put('k', randomBytes(5 * PIECE_BYTES));
      const path = layout.blob(hashOf('k'));
      await link(path, join(layout.uploads, `${hashOf('k')}.x`));
      await truncate(path, left);
      store = await started();
      expect(await get('k')).toBeUndefined();
      expect(await store.isEmpty()).toBe(true);
      expect(log.at('warn')).toHaveLength(1);
    },
  );

  test.each([
    ['in its bytes', 2 * PIECE_BYTES],
    ['in what is said of it', 5 * PIECE_BYTES + 40],
  ])('what had its name and was once whole may have been promised: bad %s it is put aside', async (_, at) => {
    const bytes = randomBytes(5 * PIECE_BYTES);
    await put('k', bytes);
    const path = layout.blob(hashOf('k'));
    await link(path, join(layout.uploads, `${hashOf('k')}.x`));
    await flipped(path, at);
    store = await started();
    expect(await readdir(layout.uploads)).toEqual([]);
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 1 });
    await expect(get('k')).rejects.toMatchObject({ reason: 'Corrupt' });
    expect(await store.isEmpty()).toBe(false);
  });

  test('what was put aside so comes back by a second attempt of who was never answered', async () => {
    const bytes = randomBytes(5 * PIECE_BYTES);
    await put('k', bytes);
    await link(layout.blob(hashOf('k')), join(layout.uploads, `${hashOf('k')}.x`));
    await flipped(layout.blob(hashOf('k')), 0);
    store = await started();
    expect(await put('k', bytes)).toMatchObject({ made: true });
    expect(store.totals().corrupt).toBe(0);
  });

  test('the file of an upload that lost against another is no reason to doubt that one', async () => {
    await put('k', 'bytes');
    await writeFile(join(layout.uploads, `${hashOf('k')}.x`), 'half');
    store = await started();
    expect((await get('k'))?.toString()).toBe('bytes');
  });
});

describe('a blob that is open', () => {
  test('is removed as the one that it is', async () => {
    await put('k', 'bytes');
    await using blob = await store.openHash(hashOf('k'));
    expect(await blob?.remove()).toBe('removed');
    expect(await get('k')).toBeUndefined();
    expect([store.totals().blobs, await store.isEmpty()]).toEqual([0, true]);
  });

  test('is not removed again when another has come in its place, or none', async () => {
    await put('k', 'bytes');
    await using blob = await store.openHash(hashOf('k'));
    await store.remove('k');
    expect(await blob?.remove()).toBe('absent');
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 0 });
    await put('k', 'bytes');
    expect(await blob?.remove()).toBe('another');
    expect((await get('k'))?.toString()).toBe('bytes');
    expect(store.totals()).toEqual({ blobs: 1, bytes: 5, corrupt: 0 });
  });

  test('is not there any more when it was put aside by who counts all of them, who has no turn', async () => {
    const bytes = randomBytes(PIECE_BYTES);
    await put('k', bytes);
    store = await DiskStore.open({
      layout,
      clock: new VirtualClock(),
      random: Math.random,
      log,
      mostBytes: MOST_BYTES,
    });
    await using blob = await store.openHash(hashOf('k'));
    await flipped(layout.blob(hashOf('k')), bytes.length + 60);
    await store.count();
    expect(await blob?.remove()).toBe('absent');
    expect(await readdir(layout.quarantine)).toEqual([hashOf('k')]);
  });

  test('is found by its hash, as all are named', async () => {
    for (const key of ['a', 'b', 'c']) await put(key, key);
    await writeFile(join(layout.shelf(hashOf('a')), 'not a hash'), '');
    expect(await Array.fromAsync(store.hashes())).toEqual(['a', 'b', 'c'].map(hashOf).toSorted());
  });
});

test('what is stored and removed while it is counted is counted once', async () => {
  for (let index = 0; index < 200; index++) await put(`${index}`, 'x');
  store = await DiskStore.open({ layout, clock: new VirtualClock(), random: Math.random, log, mostBytes: MOST_BYTES });
  expect(store.isCounted).toBe(false);
  const changes = Array.from({ length: 100 }, (_, index) => [store.remove(`${index}`), put(`new ${index}`, 'xy')]);
  await Promise.all([store.count(), ...changes.flat()]);
  expect(store.isCounted).toBe(true);
  expect(store.totals()).toEqual({ blobs: 200, bytes: 300, corrupt: 0 });
});

describe('what is said of a blob is on the disk', () => {
  const shelf = () => layout.shelf(hashOf('k'));

  test('that there is none is so for the first who asks, since an earlier life may have removed it; then it is known', async () => {
    const synced: string[] = [];
    store = await started(async (path) => void synced.push(path));
    expect(await store.remove('k')).toEqual({ is: 'absent' });
    expect(synced.toSorted()).toEqual([shelf(), layout.quarantine].toSorted());
    expect(await store.remove('k')).toEqual({ is: 'absent' });
    expect(synced).toHaveLength(2);
  });

  test('a removal that the disk has not taken is not taken for one by who asks again', async () => {
    await put('k', 'bytes');
    let isBroken = true;
    store = await started(async (path) => {
      if (isBroken && path === shelf()) throw new Error('input/output error');
    });
    await expect(store.remove('k')).rejects.toThrow('input/output error');
    isBroken = false; // the system tells it once
    await expect(store.remove('k')).rejects.toThrow('input/output error');
    await expect(put('k', 'bytes')).rejects.toThrow('input/output error');
    expect(await get('k')).toBeUndefined();
  });

  test('that an open blob was removed is when all is settled, and not for each of them', async () => {
    await put('k', 'bytes');
    const synced: string[] = [];
    store = await started(async (path) => void synced.push(path));
    await store.settle(); // what an earlier life has left
    synced.length = 0;
    await using blob = await store.open('k');
    await blob?.remove();
    expect(synced).toEqual([]);
    await store.settle();
    await store.settle();
    expect(synced).toEqual([shelf()]);
  });

  test('that it has moved away is when somebody is told that there is none', async () => {
    await put('k', 'bytes');
    const synced: string[] = [];
    store = await started(async (path) => void synced.push(path));
    await using blob = await store.open('k');
    await blob?.remove();
    expect(await store.remove('k')).toEqual({ is: 'absent' });
    expect(synced).toContain(shelf());
  });

  test('who looks while it changes is answered when that is over, by what is there then', async () => {
    await put('k', 'bytes');
    const onDisk = Promise.withResolvers<void>();
    store = await started((path) => (path === layout.quarantine ? onDisk.promise : Promise.resolve()));
    let isAnswered = false;
    const reading = get('k').finally(() => {
      isAnswered = true;
    });
    const changing = store.giveUp(hashOf('k')); // it has come to the file before the reader
    for (let rounds = 0; rounds < 20; rounds++) await settled();
    expect(isAnswered).toBe(false);
    onDisk.resolve();
    expect((await reading)?.toString()).toBe('bytes');
    expect(await changing).toBe(false);
  });

  test('who cannot tell whether it is still there has it open no longer', async () => {
    await put('k', 'bytes');
    const onDisk = Promise.withResolvers<void>();
    store = await started((path) => (path === layout.quarantine ? onDisk.promise : Promise.resolve()));
    const reading = expect(get('k')).rejects.toThrow('ELOOP');
    const changing = store.giveUp(hashOf('k'));
    await expect.poll(openFiles).toContain(layout.blob(hashOf('k')));
    await rename(shelf(), `${shelf()}-away`);
    await symlink(shelf(), shelf());
    onDisk.resolve();
    await Promise.all([reading, changing]);
    expect(openFiles().filter((path) => path.startsWith(shelf()) && path.endsWith(hashOf('k')))).toEqual([]);
  });

  test('who has opened what is gone by the end of the change looks again', async () => {
    await put('k', 'bytes');
    const [reading, removing] = [get('k'), store.remove('k')];
    expect(await removing).toMatchObject({ is: 'removed' });
    expect(await reading).toBeUndefined();
  });
});

test('a reader has its share of the memory until nobody uses what it has read', async () => {
  await put('k', randomBytes(9 * PIECE_BYTES));
  await using blob = await store.open('k');
  using others = new DisposableStack();
  for (let holders = 0; holders < 24; holders++) others.use(OUTGOING.hold());
  const before = OUTGOING.pieces;
  for await (const _ of blob?.read() ?? []);
  expect(OUTGOING.pieces).toBe(before - 1);
  blob?.release();
  expect(OUTGOING.pieces).toBe(before);
});
