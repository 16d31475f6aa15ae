/** The files of the machine that this program runs on. */
import { type BigIntStats, constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import { writeAtomic } from './atomic-write.ts';
import { deviceNumber } from './device-number.ts';
import { watchDirectory } from './directory-watch.ts';
import { attempt, attemptIfThere, FileError, isNothingThere } from './file-error.ts';
import {
  DEFAULT_DIRECTORY_MODE,
  DEFAULT_FILE_MODE,
  DEFAULT_MAX_FILE_BYTES,
  DEFAULT_MAX_LIST_ENTRIES,
  type FileKind,
  type FileStat,
  type Files,
} from './files.ts';
import { walk } from './walk.ts';

export function realFiles(clock: Clock, random: () => number): Files {
  const files: Files = {
    stat: (path) => attemptIfThere('look at', path, async () => toFileStat(await fs.stat(path, { bigint: true }))),
    lstat: (path) => attemptIfThere('look at', path, async () => toFileStat(await fs.lstat(path, { bigint: true }))),
    readlink: (path) => attemptIfThere('read the link', path, () => fs.readlink(path)),
    realpath: (path) => attemptIfThere('resolve', path, () => fs.realpath(path)),
    readText: (path, options) =>
      attemptIfThere('read', path, () => readText(path, options?.maxBytes ?? DEFAULT_MAX_FILE_BYTES)),
    list: (directory, options) =>
      attempt('list', directory, () => list(directory, options?.maxEntries ?? DEFAULT_MAX_LIST_ENTRIES)),
    walk: (directory, options) => walk(files, directory, options),
    writeAtomic: (path, content, options) =>
      attempt('write', path, () => writeAtomic(path, content, options?.mode ?? DEFAULT_FILE_MODE, random)),
    async mkdir(path, options) {
      await attempt('make the directory', path, () =>
        fs.mkdir(path, { recursive: true, mode: options?.mode ?? DEFAULT_DIRECTORY_MODE }),
      );
    },
    remove: (path) => attempt('remove', path, () => remove(path)),
    watch: (directory, onChange, options) => watchDirectory(clock, directory, onChange, options?.debounceMs),
  };
  return files;
}

/** Opened without waiting, so that a FIFO cannot hold us up, and refused unless it is a regular file. */
async function readText(path: string, maxBytes: number): Promise<string> {
  await using file = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  const stat = await file.stat();
  if (!stat.isFile()) throw new FileError('read', path, stat.isDirectory() ? 'EISDIR' : 'EINVAL');
  const chunks: Buffer[] = [];
  for (let room = maxBytes + 1; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(room, 64 * 1024)));
    if (bytesRead === 0) return Buffer.concat(chunks).toString('utf8');
    chunks.push(buffer.subarray(0, bytesRead));
    room -= bytesRead;
    if (room <= 0) throw new FileError('read', path, 'EFBIG');
  }
}

async function list(path: string, maxEntries: number): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of await fs.opendir(path, { bufferSize: 256 })) {
    names.push(name);
    if (names.length > maxEntries) throw new FileError('list', path, 'EFBIG');
  }
  return names.sort();
}

async function remove(path: string): Promise<void> {
  try {
    const isDirectory = (await fs.lstat(path)).isDirectory();
    await (isDirectory ? fs.rmdir(path) : fs.unlink(path));
  } catch (error) {
    if (!isNothingThere(error)) throw error;
  }
}

function toFileStat(stat: BigIntStats): FileStat {
  const kind = kindOf(stat);
  const isDevice = kind === 'block-device' || kind === 'character-device';
  return {
    kind,
    sizeBytes: Number(stat.size),
    mode: Number(stat.mode & 0o7777n),
    filesystem: deviceNumber(stat.dev),
    inode: stat.ino,
    ...(isDevice && { device: deviceNumber(stat.rdev) }),
  };
}

function kindOf(stat: BigIntStats): FileKind {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isBlockDevice()) return 'block-device';
  if (stat.isCharacterDevice()) return 'character-device';
  return stat.isFIFO() ? 'fifo' : 'socket';
}
