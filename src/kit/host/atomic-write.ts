/** Replacing a file as a whole, so that a crash or a power cut leaves either the old one or the new one. */
import { open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  mode: number,
  random: () => number,
): Promise<void> {
  const suffix = Math.floor(random() * 36 ** 8).toString(36);
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${suffix}.tmp`);
  try {
    await writeDurably(temporary, content, mode);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

async function writeDurably(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(content);
  await file.chmod(mode);
  await file.sync();
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
