/** Volumes for the tests of agents: directories, in memory where there is such a place, so that nobody waits for a disk. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Layout } from './layout.ts';

const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** As an agent leaves it that has been there: to make and to take away hundreds of directories one by one takes longer than most tests. */
export function aVolume(): Layout {
  const layout = new Layout(mkdtempSync(join(MEMORY, 'volume-')));
  for (const shelf of layout.shelves) mkdirSync(join(layout.blobs, shelf), { recursive: true });
  return layout;
}

export function dropVolume({ root }: Layout): void {
  rmSync(root, { recursive: true, force: true });
}
