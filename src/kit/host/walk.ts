/** A bounded walk through a directory tree that follows no link to a directory and says what it could not see. */
import { join } from 'node:path';
import { fewAtATime } from '../few-at-a-time.ts';
import { FileError } from './file-error.ts';
import type { Files, Walk, WalkEntry, WalkOptions } from './files.ts';

const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 32;
/** More than the system does at the same time; each entry takes several calls, one after the other. */
const AT_A_TIME = 16;

type Reader = Pick<Files, 'list' | 'lstat' | 'stat' | 'readlink'>;

interface Directory {
  readonly path: string;
  readonly names: readonly string[];
  readonly depth: number;
}

export async function walk(files: Reader, root: string, options: WalkOptions = {}): Promise<Walk> {
  const { maxEntries = MAX_ENTRIES, maxDepth = MAX_DEPTH } = options;
  const entries: WalkEntry[] = [];
  const unseen: { path: string; reason: string }[] = [];
  const directories: Directory[] = [{ path: root, names: await files.list(root), depth: 1 }];
  let room = maxEntries;

  for (const directory of directories) {
    const { path, names } = directory;
    const some = names.slice(0, room);
    await fewAtATime(AT_A_TIME, some, (name) => orUnseen(join(path, name), () => look(directory, name)));
    room -= some.length;
    if (some.length === names.length) continue;
    unseen.push({ path, reason: `more than ${maxEntries} entries` });
    break;
  }
  return { entries: sorted(entries), unseen: sorted(unseen) };

  async function look({ path: parent, depth }: Directory, name: string): Promise<void> {
    const path = join(parent, name);
    const self = await files.lstat(path);
    if (!self) return gone(path, name);
    if (self.kind === 'directory') return descend(path, depth + 1);
    if (self.kind !== 'symlink') return void entries.push({ path, name, stat: self });
    const link = await files.readlink(path);
    if (link === undefined) return;
    const stat = await followed(path);
    entries.push({ path, name, link, ...(stat && { stat }) });
  }

  /** A link that leads to itself leads to nothing. */
  async function followed(path: string) {
    try {
      return await files.stat(path);
    } catch (error) {
      if (error instanceof FileError && error.code === 'ELOOP') return undefined;
      throw error;
    }
  }

  /** A name that is not UTF-8 comes to us with other characters in it, under which there is nothing. It must not seem to have gone. */
  function gone(path: string, name: string): void {
    if (name.includes('\ufffd'))
      unseen.push({ path, reason: 'its name is not UTF-8, or it went while it was looked at' });
  }

  async function descend(path: string, depth: number): Promise<void> {
    if (depth > maxDepth) return void unseen.push({ path, reason: `more than ${maxDepth} directories deep` });
    directories.push({ path, names: await files.list(path), depth });
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

const sorted = <T extends { readonly path: string }>(found: readonly T[]): readonly T[] =>
  found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
