/** A disk with bad sectors: what is on them is the end of some blobs, and of nothing else. */
import { createHash, randomBytes } from 'node:crypto';
import fs, { link, open, readdir, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import type { AgentCalls } from '../pool-client/agent-calls.ts';
import { Refused, Unreachable } from '../pool-client/errors.ts';
import { DiskStore } from './disk-store.ts';
import { Drain } from './drain.ts';
import { hashOf } from './keys.ts';
import type { Layout } from './layout.ts';
import { OpenFile } from './open-file.ts';
import { aVolume, dropVolume } from './test-volume.ts';
import { PIECE_BYTES } from './trailer.ts';

/** What fails with which error: `open /path`, `lstat /path`, `rename /path`, or `read /path` from a byte on. */
const faults = new Map<string, { readonly code: string; readonly from: number }>();

/** What happens between a look into a directory and the next one. */
const meanwhile = new Map<string, () => Promise<unknown>>();

const real = { ...fs };

function struck(what: string, at = Number.POSITIVE_INFINITY): void {
  const fault = faults.get(what);
  if (fault && at > fault.from) throw Object.assign(new Error(`${fault.code}: ${what}`), { code: fault.code });
}

const faulty = {
  readdir: async (path: string, ...rest: [{ withFileTypes: true }]) => {
    const names = await real.readdir(path, ...rest);
    await meanwhile.get(path)?.();
    return names;
  },
  lstat: async (path: string, options: { bigint: true }) => {
    struck(`lstat ${path}`);
    return real.lstat(path, options);
  },
  rename: async (from: string, to: string) => {
    struck(`rename ${from}`);
    return real.rename(from, to);
  },
};

/** For whoever has imported them, also before, and only while these tests run: other files share the process. */
function replaceFileCalls(calls: object): void {
  Object.assign(fs, calls);
  syncBuiltinESMExports();
}

const realOpen = OpenFile.open;

async function faultyOpen(path: string, flags: string | number, mode?: number): Promise<OpenFile> {
  struck(`open ${path}`);
  const file = await realOpen.call(OpenFile, path, flags, mode);
  const read = file.read.bind(file);
  return Object.assign(file, {
    read: async (into: Buffer, start: number, length: number, at: number) => {
      struck(`read ${path}`, at + length);
      return read(into, start, length, at);
    },
  });
}

beforeAll(() => {
  replaceFileCalls(faulty);
  OpenFile.open = faultyOpen;
});
afterAll(() => {
  replaceFileCalls(real);
  OpenFile.open = realOpen;
});

const BYTES = randomBytes(17 * PIECE_BYTES + 100);
let layout: Layout;
let log: RecordingLog;
let store: DiskStore;

beforeEach(async () => {
  layout = aVolume();
  log = new RecordingLog();
  store = await opened();
});
afterEach(async () => {
  faults.clear();
  meanwhile.clear();
  dropVolume(layout);
});

const opened = () =>
  DiskStore.open({ layout, clock: new VirtualClock(), random: Math.random, log, mostBytes: 2 ** 30 });

async function* body(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
const put = (key: string, bytes = BYTES) => store.put(key, body(bytes));

async function get(key: string): Promise<Buffer | undefined> {
  await using blob = await store.open(key);
  return blob && Buffer.concat(await Array.fromAsync(blob.read(), (piece) => Buffer.from(piece)));
}

const pathOf = (key: string) => layout.blob(hashOf(key));
const bad = (what: string, from = 0, code = 'EIO') => faults.set(what, { code, from });

/** Where the sectors of the blob are that are bad. */
const places: Readonly<Record<string, (key: string) => void>> = {
  'in its bytes': (key) => bad(`read ${pathOf(key)}`, 9 * PIECE_BYTES),
  'at its end': (key) => {
    for (const path of [pathOf(key), join(layout.quarantine, hashOf(key))]) bad(`read ${path}`);
  },
  'in its inode': (key) => {
    for (const call of ['open', 'lstat', 'rename']) bad(`${call} ${pathOf(key)}`);
  },
};

describe.each(Object.entries(places))('a blob with a bad sector %s', (place, spoil) => {
  test('is damaged: not served, told of by hash, and nobody takes the store for empty', async () => {
    await put('k');
    await store.count();
    spoil('k');
    await expect(get('k')).rejects.toMatchObject({ reason: 'Corrupt', message: expect.stringContaining('EIO') });
    await expect(get('k')).rejects.toMatchObject({ reason: 'Corrupt' });
    expect(store.totals().corrupt).toBe(1);
    expect((await store.damaged({ limit: 10 })).items.map(({ hash }) => hash)).toEqual([hashOf('k')]);
    await expect.poll(() => readdir(layout.uploads)).toEqual([]);
    expect(await store.isEmpty()).toBe(false);
    expect(log.at('error')).toHaveLength(1);
  });

  test('does not keep the next agent from counting the others', async () => {
    await put('k');
    await put('good', Buffer.from('good'));
    spoil('k');
    store = await opened();
    await store.count();
    expect(store.isCounted).toBe(true);
    if (place !== 'in its bytes') expect(store.totals().corrupt).toBe(1); // those nobody has read yet
    expect((await get('good'))?.toString()).toBe('good');
  });

  test('does not keep the next agent from starting when the name of its upload is still there', async () => {
    await put('k');
    await expect.poll(() => readdir(layout.uploads)).toEqual([]);
    await link(pathOf('k'), join(layout.uploads, `${hashOf('k')}.x`));
    spoil('k');
    store = await opened();
    await store.count();
    expect(store.totals().corrupt).toBe(1);
    await expect(get('k')).rejects.toMatchObject({ reason: 'Corrupt' });
  });

  test('can be given up', async () => {
    await put('k');
    await store.count();
    spoil('k');
    await expect(get('k')).rejects.toThrow();
    expect(await store.giveUp(hashOf('k'))).toBe(true);
    await expect.poll(() => store.isEmpty()).toBe(true);
    expect(store.totals()).toEqual({ blobs: 0, bytes: 0, corrupt: 0 });
  });

  test('stays when its agent is drained; the others go, and no peer is blamed', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    for (const key of keys) await put(key, Buffer.concat([BYTES, Buffer.from(key)]));
    await store.count();
    spoil('k7');
    const { drain, clock, isDrained } = draining();
    drain.begin({ generation: 1, peers: [PEER] });
    await expect.poll(() => remaining()).toEqual([]);
    await expect.poll(() => after(clock, 10, () => drain.status()?.why)).toContain('damaged and not moved: "');
    expect(drain.status()?.movedBlobs).toBe(39);
    expect(drain.status()?.why).not.toContain(PEER.name);
    expect(drain.status()?.why).toMatch(place === 'in its bytes' ? /"k7"/ : new RegExp(hashOf('k7')));
    expect(isDrained()).toBe(false);
    await drain.end();
  });
});

async function after<T>(clock: VirtualClock, ms: number, look: () => T): Promise<T> {
  await clock.advance(ms);
  return look();
}

const PEER = { name: 'peer', url: 'http://peer:8080' };

/** Hashes that are still on a shelf, but for the bad one. */
const remaining = async () => (await Array.fromAsync(store.hashes())).filter((hash) => hash !== hashOf('k7'));

/** A peer that takes everything, and says of what breaks off what a client over a network says. */
function draining() {
  const clock = new VirtualClock();
  let isDrained = false;
  const calls: Partial<AgentCalls> = {
    async put(_to, { sha256 }, pieces) {
      const hash = createHash('sha256');
      try {
        for await (const piece of pieces) hash.update(piece);
      } catch (error) {
        throw new Unreachable(PEER, 'PUT', error);
      }
      if (hash.digest('hex') === sha256) return 'made';
      throw new Refused(PEER, 'PUT', 422, { reason: 'DigestMismatch', message: 'other bytes' });
    },
  };
  const drained = async () => {
    isDrained = true;
  };
  const drain = new Drain({ name: 'a', store, calls: calls as AgentCalls, clock, random: () => 1, log, drained });
  return { drain, clock, isDrained: () => isDrained };
}

test('bytes that have rotted are sent, not taken, found here to be bad, and put aside', async () => {
  await put('k7');
  await put('other');
  await store.count();
  await using file = await open(pathOf('k7'), 'r+');
  await file.write(Buffer.from([(BYTES[8 * PIECE_BYTES] ?? 0) ^ 4]), 0, 1, 8 * PIECE_BYTES);
  const { drain, clock } = draining();
  drain.begin({ generation: 1, peers: [PEER] });
  await expect.poll(() => after(clock, 10, () => drain.status()?.why)).toContain('damaged and not moved: "k7"');
  expect(drain.status()).toMatchObject({ movedBlobs: 1, leftBlobs: 0 });
  expect(drain.status()?.why).not.toContain(PEER.name);
  await drain.end();
});

test('what fails for another reason is no damage: it is told, by whom it concerns, and tried again', async () => {
  for (const key of ['k7', 'other']) await put(key);
  await store.count();
  bad(`open ${pathOf('k7')}`, 0, 'EMFILE');
  const { drain, clock, isDrained } = draining();
  drain.begin({ generation: 1, peers: [PEER] });
  await expect.poll(() => remaining()).toEqual([]);
  await expect.poll(() => after(clock, 1, () => drain.status()?.why)).toContain(hashOf('k7'));
  expect(drain.status()?.why).toContain('EMFILE');
  expect(store.totals()).toMatchObject({ blobs: 1, corrupt: 0 });
  faults.clear();
  await expect.poll(() => after(clock, 1_000, isDrained)).toBe(true);
});

test('a directory that cannot be read keeps nothing from moving that is in another', async () => {
  await put('k7');
  await put('other');
  await store.count();
  const unreadable = layout.shelf(hashOf('k7'));
  await rm(unreadable, { recursive: true });
  const hashes: string[] = [];
  const walk = async () => {
    for await (const hash of store.hashes()) hashes.push(hash);
  };
  await expect(walk()).rejects.toThrow(unreadable);
  expect(hashes).toEqual([hashOf('other')]);
});

test('a blob that is put aside while somebody looks whether all is empty is seen on one of the two sides', async () => {
  await put('k');
  await store.count();
  await expect.poll(() => readdir(layout.uploads)).toEqual([]);
  bad(`read ${pathOf('k')}`);
  meanwhile.set(layout.quarantine, () => get('k').catch(() => {}));
  expect(await store.isEmpty()).toBe(false);
});
