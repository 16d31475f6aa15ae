import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../kit/clock/clock.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { failureOf } from '../../kit/failure-of.ts';
import { FileStore } from './file.ts';
import { fileFailure } from './file-failure.ts';
import { LONGEST_WAIT_MS, withWriteLock } from './write-lock.ts';

const { signal } = new AbortController();
const most = 1000;
let directory: string;
let store: FileStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-objects-'));
  store = storeOf(directory);
});
afterEach(() => rm(directory, { recursive: true }));

const storeOf = (path: string, clock: Clock = systemClock) =>
  new FileStore({ directory: path, clock, random: Math.random });
const put = (key: string, body: string) => store.put(key, Buffer.from(body), { signal });
const keys = async (prefix = '') => (await Array.fromAsync(store.list(prefix, { signal }))).map(({ key }) => key);

test('an object is a file of its name, that nobody else may read', async () => {
  await put('east/1_storage_objects.json', '{}');
  expect(await readFile(join(directory, 'east/1_storage_objects.json'), 'utf8')).toBe('{}');
  expect(await readdir(join(directory, 'east'))).toEqual(['1_storage_objects.json']);
  expect((await stat(join(directory, 'east/1_storage_objects.json'))).mode & 0o777).toBe(0o600);
});

test.each([
  '../x',
  'a/../../x',
  '/etc/x',
  'a//b',
  'a/./b',
  '',
  'a/',
  '.',
  'a\0b',
  '.lock',
  'a/.b.12-x.tmp',
  '\ud800',
  'x'.repeat(256),
])('no file is touched for the key %j', async (key) => {
  for (const call of [
    () => store.get(key, { signal, most }),
    () => store.head(key, { signal }),
    () => put(key, '1'),
    () => store.remove(key, { signal }),
  ])
    expect(await failureOf(call)).toMatchObject({ name: 'StoreError', fault: 'unsupported' });
  expect(await readdir(directory)).toEqual([]);
});

test('links lead nowhere, whatever is at their end', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'holdfast-outside-'));
  await writeFile(join(outside, 'secret'), 'content');
  await symlink(outside, join(directory, 'linked'));
  await symlink(join(outside, 'secret'), join(directory, 'file'));
  for (const key of ['linked/secret', 'linked/new', 'linked/deeper/new', 'file']) {
    await expect(store.get(key, { signal, most })).rejects.toMatchObject({ fault: 'unsupported' });
    await expect(put(key, 'changed')).rejects.toMatchObject({ fault: 'unsupported' });
    await expect(store.remove(key, { signal })).rejects.toMatchObject({ fault: 'unsupported' });
  }
  expect([await keys(), await keys('linked/')]).toEqual([[], []]);
  expect([await readdir(outside), await readFile(join(outside, 'secret'), 'utf8')]).toEqual([['secret'], 'content']);
  await rm(outside, { recursive: true });
});

test('the directory itself may be a link', async () => {
  const link = `${directory}-link`;
  await symlink(directory, link);
  await storeOf(link).put('a', Buffer.from('1'), { signal });
  expect(await keys()).toEqual(['a']);
  await rm(link);
});

test('what a write has left behind that was cut off is no object', async () => {
  await put('a', '1');
  await writeFile(join(directory, '.a.12-x.tmp'), 'half');
  expect(await keys()).toEqual(['a']);
});

test('what a filesystem keeps for itself where it is mounted is no object, and need not be readable', async () => {
  await put('east/a', '1');
  for (const top of ['', 'east']) {
    const kept = join(directory, top, 'lost+found');
    await mkdir(kept);
    await writeFile(join(kept, '#12'), 'found again');
    await chmod(kept, 0o000);
  }
  expect([await keys(), await keys('east/')]).toEqual([['east/a'], ['east/a']]);
  await expect(put('lost+found/b', '1')).rejects.toMatchObject({ fault: 'unsupported' });
  for (const top of ['', 'east']) await chmod(join(directory, top, 'lost+found'), 0o700);
});

test('prefixes that no key can have list nothing', async () => {
  await put('a', '1');
  for (const prefix of ['../', '/', 'a/../', '\0/']) expect(await keys(prefix)).toEqual([]);
});

test('a directory is not made: it may only be not mounted', async () => {
  const none = storeOf(join(directory, 'none'));
  await expect(none.put('a', Buffer.from('1'), { signal })).rejects.toThrow(
    /cannot write "a" in the directory .*none: there is no such directory\. Make it/,
  );
  expect(await readdir(directory)).toEqual([]);
  await writeFile(join(directory, 'file'), '');
  const file = storeOf(join(directory, 'file'));
  await expect(file.head('a', { signal })).rejects.toMatchObject({ fault: 'noBucket' });
});

test('where an object is, there can be none below it, and the other way round', async () => {
  await put('a', '1');
  await put('b/c', '1');
  await expect(put('a/b', '1')).rejects.toMatchObject({ fault: 'unsupported' });
  await expect(put('b', '1')).rejects.toMatchObject({ fault: 'unsupported' });
  expect(await store.get('a/b', { signal, most })).toEqual({ kind: 'missing' });
  expect(await store.get('b', { signal, most })).toEqual({ kind: 'missing' });
});

test('a directory that may not be written to says so', async () => {
  await put('a', '1');
  if (process.getuid?.() === 0) {
    // root may write to any directory but one of the kernel's
    await expect(storeOf('/sys/kernel').put('a', Buffer.from('1'), { signal })).rejects.toMatchObject({
      fault: 'denied',
    });
    return;
  }
  await chmod(directory, 0o500);
  await expect(put('b', '1')).rejects.toMatchObject({ fault: 'denied' });
  await chmod(directory, 0o700);
});

test.each([
  ['EACCES', 'denied'],
  ['EROFS', 'denied'],
  ['EIO', 'unavailable'],
  ['ENOSPC', 'unavailable'],
  ['ESTALE', 'unavailable'],
])('%s is %s', (code, fault) => {
  const error = Object.assign(new Error(code), { code });
  expect(fileFailure({ doing: 'write', key: 'a', where: 'the directory /x' }, error)).toMatchObject({ fault });
});

test('who does not let go of the lock holds others up, but not for ever', async () => {
  const clock = new VirtualClock();
  const held = Promise.withResolvers<void>();
  const holder = withWriteLock(join(directory, '.lock'), { clock, random: () => 1, signal }, () => held.promise);
  const patient = storeOf(directory, clock).put('a', Buffer.from('1'), { signal });
  const outcome = failureOf(() => patient);
  while (clock.pending === 0) await clock.advance(0);
  await clock.advance(LONGEST_WAIT_MS + 200);
  expect(await outcome).toMatchObject({ fault: 'unavailable', message: expect.stringContaining('another process') });
  held.resolve();
  await holder;
  await put('a', '2');
  expect(await keys()).toEqual(['a']);
});

test('who waits for the lock can give up', async () => {
  const held = Promise.withResolvers<void>();
  const options = { clock: systemClock, random: Math.random, signal };
  const holder = withWriteLock(join(directory, '.lock'), options, () => held.promise);
  const controller = new AbortController();
  const waiting = store.put('a', Buffer.from('1'), { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  held.resolve();
  await holder;
  expect(await keys()).toEqual([]);
});

/** Adds one to a number in an object, under its ETag, over and over. Tells of each time that it has done so. */
const COUNTING = `
  import { systemClock } from ${JSON.stringify(join(import.meta.dirname, '../../kit/clock/clock.ts'))};
  import { FileStore } from ${JSON.stringify(join(import.meta.dirname, 'file.ts'))};
  const store = new FileStore({ directory: process.argv[1], clock: systemClock, random: Math.random });
  const { signal } = new AbortController();
  for (let done = 0; done < Number(process.argv[2]); ) {
    const { body, etag } = await store.get('count', { signal, most: 100 });
    const next = Buffer.from(String(Number(body.toString()) + 1));
    try {
      await store.put('count', next, { signal, condition: { etag } });
      done += 1;
      process.stdout.write('.');
    } catch (error) {
      if (error.fault !== 'preconditionFailed') throw error;
    }
  }`;

test('processes that count together lose no count, also when one of them is killed', async () => {
  await put('count', '0');
  const counter = (times: number) =>
    spawn(process.execPath, ['--input-type=module', '-e', COUNTING, directory, String(times)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const counters = [counter(15), counter(15), counter(15)];
  const doomed = counter(1_000_000);
  let counted = 0;
  for (const each of [...counters, doomed]) each.stdout?.on('data', (dots: Buffer) => (counted += dots.length));
  doomed.stdout?.once('data', () => setImmediate(() => doomed.kill('SIGKILL')));
  const ended = async (each: ChildProcess) => (await once(each, 'close'))[0];
  expect(await Promise.all(counters.map(ended))).toEqual([0, 0, 0]);
  if (doomed.exitCode === null && doomed.signalCode === null) await once(doomed, 'close');
  const got = await store.get('count', { signal, most });
  const total = got.kind === 'found' ? Number(got.body.toString()) : Number.NaN;
  // one that was killed may have counted and not have lived to tell
  expect([counted, counted + 1]).toContain(total);
});
