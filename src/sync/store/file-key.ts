/** Where an object is under the directory of a `file` store, and which keys there can be. */
import { basename, join } from 'node:path';

/** Beside the objects, at the top. */
export const LOCK_FILE = '.lock';
/** What a write leaves behind that was cut off: see `writeAtomic`. */
const TEMPORARY = /^\..*\.tmp$/;
const LONGEST_NAME = 255;

/** Why an object cannot have this key in a directory; nothing when it can. */
export function keyProblem(key: string): string | undefined {
  const names = key.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'such a key leads out of the directory';
  if (key.includes('\0')) return 'no file can have such a name';
  if (!key.isWellFormed()) return 'such a key is no text';
  if (names.some((name) => Buffer.byteLength(name) > LONGEST_NAME)) return 'no file can have so long a name';
  if (isOwnFile(key)) return 'such a name is for the own use of the store, or of its filesystem';
  return undefined;
}

/** What a filesystem keeps for itself at the top, which only root may read. */
export const OF_FILESYSTEM = 'lost+found';

/** Whether what is under the directory is no object, but the store's own, or that of a filesystem that is mounted there. */
export const isOwnFile = (key: string): boolean =>
  key === LOCK_FILE || TEMPORARY.test(basename(key)) || key.split('/').includes(OF_FILESYSTEM);

export const pathOf = (root: string, key: string): string => join(root, ...key.split('/'));

/** The deepest directory that holds all keys with a prefix, relative to the top; nothing when there can be no such key. */
export function directoryOf(prefix: string): string | undefined {
  const end = prefix.lastIndexOf('/');
  if (end === -1) return '';
  const directory = prefix.slice(0, end);
  return keyProblem(`${directory}/x`) === undefined ? directory : undefined;
}
