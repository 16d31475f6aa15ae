/** The directories between the top of a `file` store and its objects. */
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../kit/host/atomic-write.ts';
import { isNothingThere } from '../../kit/host/file-error.ts';
import { DEFAULT_DIRECTORY_MODE } from '../../kit/host/files.ts';

/** Whether no link lies between the top, which may be one, and the object, which may not. */
export async function pathIsOurs(root: string, key: string): Promise<boolean> {
  let path = root;
  for (const name of key.split('/')) {
    path = join(path, name);
    try {
      if ((await lstat(path)).isSymbolicLink()) return false;
    } catch (error) {
      if (isNothingThere(error)) return true;
      throw error;
    }
  }
  return true;
}

/** They are on the disk when it resolves. */
export async function makeDirectories(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: DEFAULT_DIRECTORY_MODE });
  if (first === undefined) return;
  for (let path = directory; path !== dirname(first); path = dirname(path)) await syncDirectory(dirname(path));
}
