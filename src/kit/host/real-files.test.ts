import { appendFile, chmod, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { kernelIsQuiet } from './contract/kernel-is-quiet.ts';
import { REWATCH_MS } from './directory-watch.ts';
import type { Files } from './files.ts';
import { realFiles } from './real-files.ts';

let root = '';
let clock: VirtualClock;
let files: Files;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'files-'));
  clock = new VirtualClock();
  files = realFiles(clock, Math.random);
});
afterEach(() => rm(root, { recursive: true }));

describe('an atomic write', () => {
  it('of several at once leaves the whole of one of them, and nothing else', async () => {
    const contents = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(100_000));
    await Promise.all(contents.map((content) => files.writeAtomic(join(root, 'ledger'), content)));
    expect(contents).toContain(await files.readText(join(root, 'ledger'), { maxBytes: 2 ** 22 }));
    expect(await readdir(root)).toEqual(['ledger']);
  });

  it('leaves alone what another writer is at, when both chose the same name for it', async () => {
    const unlucky = realFiles(clock, () => 0);
    await files.writeAtomic(join(root, `.ledger.${process.pid}-0.tmp`), 'of another');
    await expect(unlucky.writeAtomic(join(root, 'ledger'), 'x')).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readdir(root)).toEqual([`.ledger.${process.pid}-0.tmp`]);
  });

  it('sets the mode whatever the umask', async () => {
    const umask = process.umask(0o077);
    try {
      await files.writeAtomic(join(root, 'unit'), '', { mode: 0o644 });
    } finally {
      process.umask(umask);
    }
    expect((await files.stat(join(root, 'unit')))?.mode).toBe(0o644);
  });
});

describe('a walk', () => {
  it('says so when it cannot reach an entry because its name is not UTF-8', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${root}/disk-`), Buffer.from([0xff])]), '');
    await files.writeAtomic(join(root, 'disk-\ufffd-by-name'), '');
    const { entries, unseen } = await files.walk(root);
    expect(entries.map(({ name }) => name)).toEqual(['disk-\ufffd-by-name']);
    expect(unseen).toEqual([{ path: join(root, 'disk-\ufffd'), reason: expect.stringContaining('UTF-8') }]);
  });
});

describe('a file error', () => {
  it('says what could not be done to which file, why, and what to do', async () => {
    await expect(files.list(join(root, 'none'))).rejects.toThrow(
      `cannot list "${root}/none": no such file or directory (ENOENT). Check the path`,
    );
  });
});

describe('a watch', () => {
  it('takes hold when even the parent of the directory comes later', async () => {
    const changed = vi.fn();
    using _watch = await files.watch(join(root, 'disk/by-path'), changed, { debounceMs: 100 });
    await files.mkdir(join(root, 'disk/by-path'));
    await clock.advance(REWATCH_MS);
    await vi.waitFor(() => expect(clock.pending).toBe(1), { timeout: 15_000 });
    await clock.advance(100);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce(), { timeout: 15_000 });
    await files.writeAtomic(join(root, 'disk/by-path/a'), '');
    await kernelIsQuiet();
    expect(clock.pending).toBe(1);
  });

  it('takes hold again when what a link leads to went and came back', async () => {
    const changed = vi.fn();
    await files.mkdir(join(root, 'real/by-path'));
    await symlink('real/by-path', join(root, 'link'));
    using _watch = await files.watch(join(root, 'link'), changed, { debounceMs: 100 });
    await files.remove(join(root, 'real/by-path'));
    await kernelIsQuiet();
    await clock.advance(100);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), { timeout: 15_000 });
    await files.mkdir(join(root, 'real/by-path'));
    await clock.advance(REWATCH_MS);
    await vi.waitFor(() => expect(clock.pending).toBe(1), { timeout: 15_000 });
    await clock.advance(100);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2), { timeout: 15_000 });
    await files.writeAtomic(join(root, 'real/by-path/a'), '');
    await kernelIsQuiet();
    expect(clock.pending).toBe(1);
  });

  it('does not wake anyone for changes that bring and take no entry', async () => {
    await files.writeAtomic(join(root, 'a'), '');
    using _watch = await files.watch(root, () => {});
    await chmod(join(root, 'a'), 0o644);
    await appendFile(join(root, 'a'), 'more');
    await kernelIsQuiet();
    expect(clock.pending).toBe(0);
  });
});
