/** A directory as the entries of an archive: sorted, of root, without the times and the special rights that its files happen to have. */
import { createReadStream, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from './tar.ts';

/** Where everybody may write, nobody may take away what is of others. */
const STICKY = 0o1000;
/** No program of an image is to get more rights than who starts it. */
const PERMISSIONS = 0o777 | STICKY;

/** Hard links within the directory stay such. */
export function treeOf(directory: string, mtime: number): readonly Entry[] {
  const seen = new Map<string, string>();
  return pathsBelow(directory).map((path) => entryOf(join(directory, path), path, mtime, seen));
}

/** Links are not followed. */
function pathsBelow(directory: string): readonly string[] {
  const walk = (below: string): readonly string[] =>
    readdirSync(join(directory, below), { withFileTypes: true }).flatMap((entry) => {
      const path = join(below, entry.name);
      return entry.isDirectory() ? [path, ...walk(path)] : [path];
    });
  return walk('').toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function entryOf(file: string, path: string, mtime: number, seen: Map<string, string>): Entry {
  const stats = lstatSync(file);
  const common = { path, mtime, mode: stats.mode & PERMISSIONS };
  if (stats.isDirectory()) return { ...common, type: 'directory' };
  if (stats.isSymbolicLink()) return { ...common, mode: 0o777, type: 'symlink', target: readlinkSync(file) };
  if (!stats.isFile()) throw new Error(`${file} is neither a file nor a directory nor a link`);
  const first = firstNameOf(stats, path, seen);
  if (first !== undefined) return { ...common, type: 'hardlink', target: first };
  return { ...common, type: 'file', size: stats.size, content: () => createReadStream(file) };
}

function firstNameOf({ nlink, dev, ino }: Stats, path: string, seen: Map<string, string>): string | undefined {
  if (nlink < 2) return undefined;
  const key = `${dev}:${ino}`;
  const first = seen.get(key);
  if (first === undefined) seen.set(key, path);
  return first;
}
