/** For tests of file notifications: the kernel tells of changes in their order, so when it tells of a last one it has told of all. */
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function kernelIsQuiet(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quiet-'));
  const watcher = watch(directory);
  const told = once(watcher, 'change');
  await writeFile(join(directory, 'last'), '');
  await told;
  watcher.close();
  await rm(directory, { recursive: true });
}
