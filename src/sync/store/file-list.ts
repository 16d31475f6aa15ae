/** All objects of a `file` store under a prefix. Links are not followed: they could lead anywhere. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isNothingThere } from '../../kit/host/file-error.ts';
import { pathIsOurs } from './file-directories.ts';
import { directoryOf, isOwnFile, OF_FILESYSTEM, pathOf } from './file-key.ts';
import { byBytes } from './rules.ts';
import type { Listed } from './store.ts';

export async function* listFiles(root: string, prefix: string): AsyncGenerator<Listed> {
  const directory = directoryOf(prefix);
  if (directory === undefined || !(await pathIsOurs(root, directory))) return;
  const keys = await Array.fromAsync(keysIn(root, directory));
  for (const key of keys.filter((each) => each.startsWith(prefix)).sort(byBytes)) {
    const stats = await unlessGone(() => lstat(pathOf(root, key)));
    if (stats?.isFile()) yield { key, size: stats.size, modifiedAt: stats.mtime };
  }
}

async function* keysIn(root: string, directory: string): AsyncGenerator<string> {
  const entries = (await unlessGone(() => readdir(join(root, directory), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const key = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.name === OF_FILESYSTEM) continue;
    if (entry.isDirectory()) yield* keysIn(root, key);
    else if (entry.isFile() && !isOwnFile(key)) yield key;
  }
}

/** Others write and remove meanwhile. */
async function unlessGone<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}
