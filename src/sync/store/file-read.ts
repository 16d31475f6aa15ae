/** Reading the files of a `file` store, whose ETags are hashes of their content. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isNothingThere } from '../../kit/host/file-error.ts';

const CHUNK = 2 ** 20;

/** Nothing when there is no file of that name. Neither links nor pipes, which could hold us up, are opened. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return undefined;
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}

/** As many bytes as it had, or fewer when it has lost some since. */
export async function readFile(file: FileHandle, size: number, signal: AbortSignal): Promise<Buffer> {
  const body = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(body, filled, Math.min(CHUNK, size - filled));
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return body.subarray(0, filled);
}

export async function hashFile(file: FileHandle, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK);
    if (bytesRead === 0) return quoted(hash.digest('hex'));
    hash.update(buffer.subarray(0, bytesRead));
  }
}

export const etagOf = (body: Uint8Array): string => quoted(createHash('sha256').update(body).digest('hex'));

const quoted = (hash: string): string => `"${hash}"`;
