/** A bounded walk through a directory tree that follows no link to a directory and says what it could not see. */
import { join } from 'node:path';
import { FileError } from './file-error.ts';
import type { Files, Walk, WalkEntry, WalkOptions } from './files.ts';

const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 32;

type Reader = Pick<Files, 'list' | 'lstat' | 'stat' | 'readlink'>;

export async function walk(files: Reader, directory: string, options: WalkOptions = {}): Promise<Walk> {
  const { maxEntries = MAX_ENTRIES, maxDepth = MAX_DEPTH } = options;
  const entries: WalkEntry[] = [];
  const unseen: { path: string; reason: string }[] = [];
  let seen = 0;

  await enter(directory, await files.list(directory), 1);
  return { entries: entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)), unseen };

  async function enter(parent: string, names: readonly string[], depth: number): Promise<void> {
    for (const name of names) {
      seen += 1;
      if (seen > maxEntries) return void unseen.push({ path: parent, reason: `more than ${maxEntries} entries` });
      await orUnseen(join(parent, name), () => look(join(parent, name), name, depth));
    }
  }

  async function look(path: string, name: string, depth: number): Promise<void> {
    const self = await files.lstat(path);
    if (!self) return gone(path, name);
    if (self.kind === 'directory') return descend(path, depth + 1);
    if (self.kind !== 'symlink') return void entries.push({ path, name, stat: self });
    const link = await files.readlink(path);
    if (link === undefined) return;
    const stat = await files.stat(path);
    entries.push({ path, name, link, ...(stat && { stat }) });
  }

  /** A name that is not UTF-8 comes to us with other characters in it, under which there is nothing. It must not seem to have gone. */
  function gone(path: string, name: string): void {
    if (name.includes('\ufffd'))
      unseen.push({ path, reason: 'its name is not UTF-8, or it went while it was looked at' });
  }

  async function descend(path: string, depth: number): Promise<void> {
    if (depth > maxDepth) return void unseen.push({ path, reason: `more than ${maxDepth} directories deep` });
    await enter(path, await files.list(path), depth);
  }

  async function orUnseen(path: string, action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (error.code !== 'ENOENT') unseen.push({ path, reason: error.message });
    }
  }
}
