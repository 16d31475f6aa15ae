/** What every implementation of the host's files must do, the real one and the simulated one. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VirtualClock } from '../../clock/virtual.ts';
import type { Files, Watch } from '../files.ts';

export interface FilesSubject {
  readonly files: Files;
  readonly clock: VirtualClock;
  /** An empty directory. */
  readonly root: string;
  symlink(target: string, path: string): Promise<void>;
  /** Makes something at a path that is neither file, directory nor link. */
  fifo(path: string): Promise<void>;
  /** Resolves when the kernel has told everything there was to tell about changes so far. */
  quiet(): Promise<void>;
  dispose(): Promise<void>;
}

export function filesContract(name: string, make: () => Promise<FilesSubject>): void {
  describe(`${name} files`, () => {
    let subject: FilesSubject;
    let files: Files;
    let at: (path: string) => string;
    beforeEach(async () => {
      subject = await make();
      files = subject.files;
      at = (path) => `${subject.root}/${path}`;
    });
    afterEach(() => subject.dispose());

    it('give back what was written, with the mode asked for', async () => {
      await files.writeAtomic(at('a'), 'first');
      await files.writeAtomic(at('a'), 'sécond');
      await files.writeAtomic(at('b'), Buffer.from([0x41, 0x0a]), { mode: 0o644 });
      expect([await files.readText(at('a')), await files.readText(at('b'))]).toEqual(['sécond', 'A\n']);
      expect(await files.stat(at('a'))).toMatchObject({ kind: 'file', sizeBytes: 7, mode: 0o600 });
      expect(await files.stat(at('b'))).toMatchObject({ mode: 0o644 });
      expect(await files.list(subject.root)).toEqual(['a', 'b']);
    });

    it('take the longest name that there can be', async () => {
      const name = 'ü'.repeat(127).padEnd(128, 'n');
      await files.writeAtomic(at(name), 'x');
      await files.writeAtomic(at(name), 'y');
      expect([await files.readText(at(name)), await files.list(subject.root)]).toEqual(['y', [name]]);
    });

    it('answer that there is nothing where there is nothing', async () => {
      await files.writeAtomic(at('file'), '');
      await subject.symlink('nowhere', at('dangling'));
      for (const path of [at('none'), at('none/below'), at('file/below')]) {
        expect(await files.stat(path)).toBeUndefined();
        expect(await files.lstat(path)).toBeUndefined();
        expect(await files.readlink(path)).toBeUndefined();
        expect(await files.realpath(path)).toBeUndefined();
        expect(await files.readText(path)).toBeUndefined();
        await files.remove(path);
      }
      expect(await files.stat(at('dangling'))).toBeUndefined();
      expect(await files.lstat(at('dangling'))).toMatchObject({ kind: 'symlink' });
    });

    it('follow links where they say so', async () => {
      await files.mkdir(at('real/deep'));
      await files.writeAtomic(at('real/file'), 'x');
      await subject.symlink('real/deep', at('link'));
      await subject.symlink(at('link/../file'), at('around'));
      const real = await files.realpath(at('real'));
      expect(await files.readlink(at('link'))).toBe('real/deep');
      expect(await files.realpath(at('link'))).toBe(`${real}/deep`);
      expect(await files.stat(at('link'))).toMatchObject({ kind: 'directory' });
      expect(await files.readText(at('around'))).toBe('x');
      expect((await files.stat(at('around')))?.inode).toBe((await files.stat(at('real/file')))?.inode);
    });

    it('do not go in circles', async () => {
      await subject.symlink('b', at('a'));
      await subject.symlink('a', at('b'));
      await expect(files.stat(at('a'))).rejects.toMatchObject({ name: 'FileError', code: 'ELOOP', path: at('a') });
    });

    it('read only regular files of a bounded size', async () => {
      await files.writeAtomic(at('large'), 'x'.repeat(1001));
      await subject.fifo(at('fifo'));
      await expect(files.readText(at('large'), { maxBytes: 1000 })).rejects.toMatchObject({ code: 'EFBIG' });
      expect(await files.readText(at('large'), { maxBytes: 1001 })).toHaveLength(1001);
      await expect(files.readText(subject.root)).rejects.toMatchObject({ code: 'EISDIR' });
      await expect(files.readText(at('fifo'))).rejects.toMatchObject({ code: 'EINVAL' });
    });

    it('put a file in the place of a link without touching what that leads to', async () => {
      await files.writeAtomic(at('target'), 'kept');
      await subject.symlink('target', at('link'));
      await files.writeAtomic(at('link'), 'new');
      expect([await files.readText(at('target')), await files.readText(at('link'))]).toEqual(['kept', 'new']);
      expect(await files.lstat(at('link'))).toMatchObject({ kind: 'file' });
    });

    it('write into no directory that is not there, and over none that is', async () => {
      await files.mkdir(at('directory'));
      await expect(files.writeAtomic(at('none/file'), '')).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(files.writeAtomic(at('directory'), '')).rejects.toMatchObject({ code: 'EISDIR' });
      expect(await files.list(subject.root)).toEqual(['directory']);
    });

    it('make directories once and leave those that exist', async () => {
      await files.mkdir(at('a/b/c'), { mode: 0o700 });
      await files.mkdir(at('a/b/c'), { mode: 0o755 });
      expect(await files.stat(at('a/b/c'))).toMatchObject({ kind: 'directory', mode: 0o700 });
      await files.writeAtomic(at('file'), '');
      await expect(files.mkdir(at('file'))).rejects.toMatchObject({ code: 'EEXIST' });
      await expect(files.mkdir(at('file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    });

    it('remove files, links and empty directories, never a tree', async () => {
      await files.mkdir(at('tree/below'));
      await files.writeAtomic(at('kept'), 'x');
      await subject.symlink('kept', at('link'));
      await expect(files.remove(at('tree'))).rejects.toMatchObject({ code: 'ENOTEMPTY' });
      for (const path of ['link', 'tree/below', 'tree', 'tree']) await files.remove(at(path));
      expect(await files.list(subject.root)).toEqual(['kept']);
    });

    it('refuse to list what is no directory, is not there or is too large', async () => {
      await files.writeAtomic(at('a'), '');
      await files.writeAtomic(at('b'), '');
      await expect(files.list(at('a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
      await expect(files.list(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(files.list(subject.root, { maxEntries: 1 })).rejects.toMatchObject({ code: 'EFBIG' });
      expect(await files.list(subject.root, { maxEntries: 2 })).toEqual(['a', 'b']);
    });

    describe('walked', () => {
      it('show everything below but the directories, and follow no link into one', async () => {
        await files.mkdir(at('d/sub/empty'));
        await files.writeAtomic(at('d/z'), '1');
        await files.writeAtomic(at('d/sub/a'), '22');
        await subject.symlink('../z', at('d/sub/to-file'));
        await subject.symlink('..', at('d/sub/up'));
        await subject.symlink('gone', at('d/sub/dangling'));
        await subject.symlink('self', at('d/sub/self'));
        const { entries, unseen } = await files.walk(at('d'));
        expect(unseen).toEqual([]);
        expect(entries.map(({ path, link, stat }) => [path.slice(at('d/').length), link, stat?.kind])).toEqual([
          ['sub/a', undefined, 'file'],
          ['sub/dangling', 'gone', undefined],
          ['sub/self', 'self', undefined],
          ['sub/to-file', '../z', 'file'],
          ['sub/up', '..', 'directory'],
          ['z', undefined, 'file'],
        ]);
      });

      it('say what was too much or too deep to see', async () => {
        await files.mkdir(at('d/1/2/3'));
        for (const name of ['a', 'b', 'c']) await files.writeAtomic(at(`d/${name}`), '');
        const { entries, unseen } = await files.walk(at('d'), { maxEntries: 3 });
        expect(entries.length).toBeLessThan(3);
        expect(unseen).toEqual([{ path: expect.any(String), reason: 'more than 3 entries' }]);
        expect((await files.walk(at('d'), { maxDepth: 2 })).unseen).toEqual([
          { path: at('d/1/2'), reason: 'more than 2 directories deep' },
        ]);
      });

      it('fail when the directory itself cannot be seen', async () => {
        await expect(files.walk(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
      });
    });

    describe('watched', () => {
      let watch: Watch;
      const changed = vi.fn();
      beforeEach(() => changed.mockClear());
      afterEach(() => watch.close());

      it('tell once about many changes, at the end of the debounce', async () => {
        await watching(at('d'));
        for (const name of ['a', 'b', 'c']) await files.writeAtomic(at(`d/${name}`), '');
        await files.remove(at('d/a'));
        await subject.quiet();
        await subject.clock.advance(99);
        expect(changed).not.toHaveBeenCalled();
        await subject.clock.advance(1);
        await called();
        expect(subject.clock.pending).toBe(0);
      });

      it('tell about what comes and goes in directories below, new ones included', async () => {
        await watching(at('d'));
        await noticed(() => files.mkdir(at('d/sub')));
        await noticed(() => files.writeAtomic(at('d/sub/a'), ''));
        await noticed(() => files.remove(at('d/sub/a')));
      });

      it('tell when the directory is replaced, and go on with the new one', async () => {
        await watching(at('d'));
        await noticed(() => files.remove(at('d')));
        await noticed(() => files.mkdir(at('d')));
        await noticed(() => files.writeAtomic(at('d/a'), ''));
        await files.remove(at('d/a'));
        await noticed(async () => {
          await files.remove(at('d'));
          await files.mkdir(at('d'));
        });
        await noticed(() => files.writeAtomic(at('d/b'), ''));
      });

      it('tell when a directory appears that was not there', async () => {
        watch = await files.watch(at('late'), changed, { debounceMs: 100 });
        await noticed(() => files.mkdir(at('late')));
        await noticed(() => files.writeAtomic(at('late/a'), ''));
      });

      it('tell nothing about other directories, nor after the watch is closed', async () => {
        await watching(at('d'));
        await files.writeAtomic(at('beside'), '');
        await subject.quiet();
        expect(subject.clock.pending).toBe(0);
        await files.writeAtomic(at('d/a'), '');
        await subject.quiet();
        watch.close();
        await files.writeAtomic(at('d/b'), '');
        await subject.quiet();
        expect(subject.clock.pending).toBe(0);
        expect(changed).not.toHaveBeenCalled();
      });

      async function watching(directory: string): Promise<void> {
        await files.mkdir(directory);
        watch = await files.watch(directory, changed, { debounceMs: 100 });
      }

      async function noticed(change: () => Promise<void>): Promise<void> {
        await change();
        await subject.quiet();
        expect(subject.clock.pending).toBe(1);
        await subject.clock.advance(100);
        await called();
      }

      /** The watch looks at the directory before it calls back, which takes a moment of real time. */
      async function called(): Promise<void> {
        await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce(), { timeout: 15_000, interval: 5 });
        changed.mockClear();
      }
    });
  });
}
