/** Replacing a file as a whole, so that a crash or a power cut leaves either the old one or the new one. */
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  mode: number,
  random: () => number,
): Promise<void> {
  const temporary = join(dirname(path), temporaryName(basename(path), random));
  const file = await open(temporary, 'wx', 0o600); // one that is there already is another writer's, and is left alone
  try {
    await writeDurably(file, content, mode);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Begins as the name does, and is no longer than the longest name may be, which the name itself can already be. */
function temporaryName(name: string, random: () => number): string {
  const suffix = Math.floor(random() * 36 ** 8).toString(36);
  return `.${name.slice(0, 40)}.${process.pid}-${suffix}.tmp`;
}

async function writeDurably(handle: FileHandle, content: string | Uint8Array, mode: number): Promise<void> {
  await using file = handle;
  await file.writeFile(content);
  await file.chmod(mode);
  await file.sync();
}

/** What came to, went from or was renamed in it is on the disk when it resolves. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
