/** The files of the host, as far as this program has any business with them. */
import type { DeviceNumber } from './device-number.ts';

/**
 * That nothing is there is an answer, not an error: `undefined`. Everything else that goes wrong is a `FileError`, and means that
 * the answer is not known. Paths are absolute.
 */
export interface Files {
  /** What the path leads to, links followed. */
  stat(path: string): Promise<FileStat | undefined>;
  /** What the path itself is. */
  lstat(path: string): Promise<FileStat | undefined>;
  /** The text of a symbolic link. */
  readlink(path: string): Promise<string | undefined>;
  /** The path without any link in it. */
  realpath(path: string): Promise<string | undefined>;
  /** A whole regular file as UTF-8. One of more than `maxBytes` (default 1 MiB) is refused (`EFBIG`), not cut. */
  readText(path: string, options?: { readonly maxBytes?: number }): Promise<string | undefined>;

  /** The names in a directory, sorted. More than `maxEntries` (default 100,000) are refused (`EFBIG`). */
  list(directory: string, options?: { readonly maxEntries?: number }): Promise<readonly string[]>;
  /** All that is below a directory except the directories themselves. Links to directories are not followed. */
  walk(directory: string, options?: WalkOptions): Promise<Walk>;

  /**
   * Puts a file there as a whole: at any moment, a crash or a power cut included, the path holds what it held before or all of the
   * new content. What it promises is on the disk when it resolves. A link at the path is replaced, not followed. A crash can leave
   * a file behind whose name begins with a dot and that of the file, and ends in `.tmp`.
   */
  writeAtomic(path: string, content: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  /** Makes a directory and those above it. One that exists is left as it is. */
  mkdir(path: string, options?: { readonly mode?: number }): Promise<void>;
  /** Removes a file, a link or an empty directory, never a tree. What is gone already is fine. */
  remove(path: string): Promise<void>;

  /**
   * Calls back when entries come to, go from or are replaced in a directory or a directory below it, many changes in one call, at the
   * latest `debounceMs` (default 500) after the first. The directory may come, go and be replaced meanwhile. Notification is a
   * favour of the kernel and can be lost: callers also look by themselves from time to time.
   */
  watch(directory: string, onChange: () => void, options?: { readonly debounceMs?: number }): Promise<Watch>;
}

export type FileKind = 'file' | 'directory' | 'symlink' | 'block-device' | 'character-device' | 'fifo' | 'socket';

export interface FileStat {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Permission bits. */
  readonly mode: number;
  /** Which file this is: two paths with the same filesystem and inode lead to one file. */
  readonly filesystem: DeviceNumber;
  readonly inode: bigint;
  /** Which device this is, if it is one. */
  readonly device?: DeviceNumber;
}

export interface WalkOptions {
  readonly maxEntries?: number;
  readonly maxDepth?: number;
}

export interface Walk {
  /** Sorted by path. */
  readonly entries: readonly WalkEntry[];
  /** What could not be looked at, and why. When this is empty the entries are all there are. */
  readonly unseen: readonly { readonly path: string; readonly reason: string }[];
}

export interface WalkEntry {
  readonly path: string;
  readonly name: string;
  /** What it leads to. Missing when it is a link to nothing, or to itself. */
  readonly stat?: FileStat;
  /** The text of the link, if it is one. */
  readonly link?: string;
}

export interface Watch extends Disposable {
  close(): void;
}

export const DEFAULT_MAX_FILE_BYTES = 2 ** 20;
export const DEFAULT_MAX_LIST_ENTRIES = 100_000;
export const DEFAULT_FILE_MODE = 0o600;
export const DEFAULT_DIRECTORY_MODE = 0o755;
export const DEFAULT_DEBOUNCE_MS = 500;
