import { closeSync, fstatSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GatheredFsync } from './gathered-fsync.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'fsync-'));
});
afterEach(() => rm(path, { recursive: true }));

test('an error that the system tells once is the answer to everybody from then on', async () => {
  let asked = 0;
  await using fsyncs = new GatheredFsync(async () => {
    asked += 1;
    if (asked === 1) throw new Error('input/output error');
  });
  const both = await Promise.allSettled([fsyncs.sync(path), fsyncs.sync(path)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(fsyncs.sync(path)).rejects.toThrow('input/output error');
  await expect(fsyncs.sync(tmpdir())).resolves.toBeUndefined();
});

test('that a directory could not be opened says nothing about what is in it', async () => {
  await using fsyncs = new GatheredFsync(async () => {});
  const later = join(path, 'later');
  await expect(fsyncs.sync(later)).rejects.toThrow('ENOENT');
  await mkdir(later);
  await expect(fsyncs.sync(later)).resolves.toBeUndefined();
});

test('no directory is closed while it is put on the disk, and none is opened afterwards', async () => {
  const onDisk = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<number>();
  const fsyncs = new GatheredFsync(async (descriptor) => {
    begun.resolve(descriptor);
    await onDisk.promise;
  });
  const first = fsyncs.sync(path);
  const descriptor = await begun.promise;
  const second = fsyncs.sync(path);
  second.catch(() => {});
  const closing = fsyncs[Symbol.asyncDispose]();
  for (let looks = 0; looks < 50; looks++) await stat(path); // in the threads that would close it
  expect(fstatSync(descriptor).isDirectory()).toBe(true);
  onDisk.resolve();
  await closing;
  await first;
  await expect(second).rejects.toThrow('the store is closed');
});

test('one that cannot be closed keeps no other open', async () => {
  const descriptors: number[] = [];
  const fsyncs = new GatheredFsync(async (descriptor) => void descriptors.push(descriptor));
  await fsyncs.sync(path);
  await fsyncs.sync(tmpdir());
  closeSync(descriptors[0] ?? -1);
  await fsyncs[Symbol.asyncDispose]();
  expect(() => fstatSync(descriptors[1] ?? -1)).toThrow('EBADF');
});
