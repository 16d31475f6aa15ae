/** Why something could not be done with a file. */
import { getSystemErrorMap } from 'node:util';

export class FileError extends Error {
  override readonly name = 'FileError';
  /** The system's name for the error, such as `EACCES`. */
  readonly code: string;
  readonly path: string;

  /** `doing` is what was to be done, as in "cannot … /path". */
  constructor(doing: string, path: string, code: string, options?: ErrorOptions) {
    super(`cannot ${doing} ${JSON.stringify(path)}: ${meaning(code)} (${code}). ${remedy(code)}`, options);
    this.code = code;
    this.path = path;
  }
}

/** Does something with a file and turns what the system throws into a `FileError`. */
export async function attempt<T>(doing: string, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(doing, path, errorCode(error), { cause: error });
  }
}

/** As `attempt`, but that there is nothing at the path is an answer. */
export async function attemptIfThere<T>(doing: string, path: string, action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt(doing, path, action);
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}

export function isNothingThere(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The system's name for an error, or `EUNKNOWN` for one that the system did not make. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';
}

const MEANINGS = new Map(getSystemErrorMap().values());

export function meaning(code: string): string {
  return MEANINGS.get(code) ?? 'the system gives no known reason';
}

function remedy(code: string): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'Check the path, and that it is mounted where this program runs';
    case 'EACCES':
    case 'EPERM':
      return 'Check the user, the capabilities and the security profile that this program runs with';
    case 'EROFS':
      return 'Mount it writable, or choose another place';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Make room on that filesystem';
    case 'EIO':
      return "Look in the kernel's log: the disk under it may be failing";
    case 'EFBIG':
      return 'It is larger than anything expected here: check that it is the right one';
    case 'ENOTEMPTY':
      return 'Only an empty directory is removed: look at what is in it';
    default:
      return "Look at it on the node, and in the kernel's log";
  }
}
