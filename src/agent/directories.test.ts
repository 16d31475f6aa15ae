import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { Directories } from './directories.ts';
import { GatheredFsync } from './gathered-fsync.ts';

const path = tmpdir();

function counted(fsync: () => Promise<void> = async () => {}) {
  let fsyncs = 0;
  const gathered = new GatheredFsync(async () => {
    fsyncs += 1;
    await fsync();
  });
  return { directories: new Directories(gathered), fsyncs: () => fsyncs };
}

test('what an earlier life may have left is put on the disk once, and then only what has changed', async () => {
  const { directories, fsyncs } = counted();
  await using _ = directories;
  await directories.settle(path);
  await directories.settle(path);
  expect(fsyncs()).toBe(1);
  directories.changed(path);
  await directories.settle(path);
  await directories.settle(path);
  expect(fsyncs()).toBe(2);
});

test('what changes while the rest is put on the disk is not taken for settled', async () => {
  const onDisk = Promise.withResolvers<void>();
  const { directories, fsyncs } = counted(() => onDisk.promise);
  await using _ = directories;
  const first = directories.sync(path);
  directories.changed(path);
  onDisk.resolve();
  await first;
  await directories.settle(path);
  expect(fsyncs()).toBe(2);
});

test('what could not be put on the disk is never settled', async () => {
  const { directories } = counted(async () => {
    throw new Error('input/output error');
  });
  await using _ = directories;
  await expect(directories.settle(path)).rejects.toThrow('input/output error');
  await expect(directories.settle(path)).rejects.toThrow('input/output error');
});
