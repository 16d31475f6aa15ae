import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GrowingDigest, HashingThread } from './hashing-thread.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-hashing-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const aFile = (name = 'a') => openSync(join(directory, name), 'w+');
const sha256 = (...parts: readonly Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest('hex');

test('a file that grows has the digest of all that was added', async () => {
  await using thread = new HashingThread();
  const fd = aFile();
  const parts = [randomBytes(700_000), randomBytes(1), randomBytes(300_000)];
  const digest = thread.digestOf(fd);
  for (const part of parts) {
    writeSync(fd, part);
    digest.add(part.length);
  }
  expect(await digest.finish()).toBe(sha256(...parts));
  closeSync(fd);
});

test('files that grow at the same time are kept apart, and an empty one has a digest, too', async () => {
  await using thread = new HashingThread();
  const files = ['a', 'b', 'c'].map((name) => ({ fd: aFile(name), bytes: randomBytes(100_000) }));
  const digests = files.map(({ fd }) => thread.digestOf(fd));
  for (const half of [0, 1])
    for (const [index, { fd, bytes }] of files.entries()) {
      writeSync(fd, bytes.subarray(half * 50_000, (half + 1) * 50_000));
      digests[index]?.add(50_000);
    }
  const empty = thread.digestOf(aFile('empty')).finish();
  expect(await Promise.all(digests.map((digest) => digest.finish()))).toEqual(files.map(({ bytes }) => sha256(bytes)));
  expect(await empty).toBe(sha256());
});

test('a file that is shorter than it should be, or cannot be read, has none; others still do', async () => {
  await using thread = new HashingThread();
  const short = thread.digestOf(aFile('short'));
  short.add(10);
  await expect(short.finish()).rejects.toThrow('the file is shorter');
  const closed = thread.digestOf(1_000_000);
  closed.add(10);
  await expect(closed.finish()).rejects.toThrow('EBADF');
  expect(thread.isWell).toBe(true);
  expect(await thread.digestOf(aFile('well')).finish()).toBe(sha256());
});

test('one of which a part could not be read has none, also if the rest could', async () => {
  await using thread = new HashingThread();
  const fd = aFile();
  const digest = thread.digestOf(fd);
  digest.add(2_000_000);
  await thread.digestOf(aFile('next')).finish(); // its turn comes after
  writeSync(fd, Buffer.alloc(4_000_000));
  digest.add(2_000_000);
  await expect(digest.finish()).rejects.toThrow('the file is shorter');
});

test('what is added after the end is not told to the thread, which knows nothing of the file any more', async () => {
  const told: number[] = [];
  const asked: number[] = [];
  const digest = new GrowingDigest({
    tell: (bytes) => void told.push(bytes),
    ask: async (bytes) => {
      asked.push(bytes);
      return 'digest';
    },
  });
  digest.add(1_500_000);
  digest.add(5);
  expect(await digest.finish()).toBe('digest');
  digest.add(1_500_000);
  await digest.end();
  expect([told, asked]).toEqual([[1_500_000], [5]]);
});

test('the thread is told of a megabyte at a time, and nothing of one that is given up before', async () => {
  const said: string[] = [];
  const hashing = {
    tell: (bytes: number) => void said.push(`tell ${bytes}`),
    ask: async (bytes: number) => {
      said.push(`ask ${bytes}`);
      return 'digest';
    },
  };
  const small = new GrowingDigest(hashing);
  for (let piece = 0; piece < 4; piece++) small.add(256 * 1024);
  await small.finish();
  const givenUp = new GrowingDigest(hashing);
  givenUp.add(256 * 1024);
  await givenUp.end();
  const large = new GrowingDigest(hashing);
  for (let piece = 0; piece < 6; piece++) large.add(256 * 1024);
  await large.end();
  expect(said).toEqual(['ask 1048576', 'tell 1310720', 'ask 0']);
});

test('one that is given up is read no more, and nobody waits for a thread that has ended', async () => {
  const thread = new HashingThread();
  const given = thread.digestOf(aFile('given'));
  given.add(5_000_000);
  await given.end();
  const late = thread.digestOf(aFile('late'));
  await thread[Symbol.asyncDispose]();
  await expect(late.finish()).rejects.toThrow('the agent ends');
  await late.end();
  expect(thread.isWell).toBe(false);
});
