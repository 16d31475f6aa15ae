/** Where things are on the volume of an agent. */
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fewAtATime } from '../kit/few-at-a-time.ts';

const AT_ONCE = 8;

export class Layout {
  readonly root: string;
  readonly blobs: string;
  readonly uploads: string;
  readonly quarantine: string;
  readonly state: string;

  constructor(root: string) {
    this.root = root;
    this.blobs = join(root, 'blobs');
    this.uploads = join(root, 'uploads');
    this.quarantine = join(root, 'quarantine');
    this.state = join(root, 'state.json');
  }

  /** The directories of the blobs, in the order of the hashes in them. */
  readonly shelves: readonly string[] = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

  shelf(hash: string): string {
    return join(this.blobs, hash.slice(0, 2));
  }

  blob(hash: string): string {
    return join(this.shelf(hash), hash);
  }

  /** All of them from the start, so that no PUT has to see to it that one is on the disk. */
  async make(): Promise<void> {
    for (const directory of [this.blobs, this.uploads, this.quarantine]) await mkdir(directory, { recursive: true });
    const missing = await this.#missingShelves();
    await fewAtATime(AT_ONCE, missing, (shelf) => mkdir(join(this.blobs, shelf), { recursive: true }));
    for (const directory of [this.blobs, this.root]) await syncDirectory(directory);
  }

  async #missingShelves(): Promise<readonly string[]> {
    const found = await readdir(this.blobs, { withFileTypes: true });
    const made = new Set(found.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])));
    return this.shelves.filter((shelf) => !made.has(shelf));
  }
}

export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
