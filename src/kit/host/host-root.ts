/** Where the root directory of the machine is seen from here: in a container that shares its process ids, through its first process. */
import type { Files } from './files.ts';

/** Of the machine's first process, seen from a container that shares its process ids. */
export const OF_INIT = '/proc/1/root';

/** Where that cannot be looked at, our own: a path that leads nowhere in it is unknown, and not taken for another. */
export async function hostRoot(files: Pick<Files, 'stat'>): Promise<string> {
  try {
    return (await files.stat(`${OF_INIT}/proc`))?.kind === 'directory' ? OF_INIT : '/';
  } catch {
    return '/';
  }
}
