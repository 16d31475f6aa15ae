/**
 * Room on the volume that no blob gets. An agent whose volume is full to the last block could not start anew, since its lock is a file as
 * well, nor keep what it is told; and nothing of what it holds could be read or drained any more.
 */
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { sharedLook } from '../kit/shared-look.ts';
import { StoreError } from './store.ts';

/** XFS takes up to a quarter of a megabyte to make one file. */
const KEPT_FREE_BYTES = 4 * 1024 * 1024;

/** So much of the volume at `path` may still be written. */
export async function roomIn(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return Math.max(0, bavail * bsize - KEPT_FREE_BYTES);
}

/** As `df` counts it: what a filesystem keeps for root never becomes room for a blob, and a volume that has nothing else left is full. */
export const sizesOf = ({ bsize, blocks, bfree, bavail }: Pick<StatsFs, 'bsize' | 'blocks' | 'bfree' | 'bavail'>) => ({
  total: (blocks - bfree + bavail) * bsize,
  used: (blocks - bfree) * bsize,
});

export class Headroom {
  readonly #look: () => Promise<void>;
  /** At the last look, less what was written since. */
  #room = 0;
  #underWay = 0;

  constructor(look: () => Promise<number>) {
    this.#look = sharedLook(async () => {
      this.#room = await look();
    });
  }

  /** Looks only when what is known of does not do. Rejects with Full before anything is written. */
  async write<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    this.#underWay += bytes;
    try {
      if (this.#isFull) await this.#look();
      if (this.#isFull) throw new StoreError('Full', 'there is no room left here');
      const written = await write();
      this.#room -= bytes;
      return written;
    } finally {
      this.#underWay -= bytes;
    }
  }

  get #isFull(): boolean {
    return this.#room < this.#underWay;
  }
}
