/** How many blobs there are, and how large. Counted once at the start, shelf by shelf, and from then on kept up with what changes. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import { isHash } from './keys.ts';
import type { Layout } from './layout.ts';

const AT_ONCE = 8;

export class Counting {
  readonly #layout: Layout;
  /** The size of a blob; nothing if it is none, or no longer. */
  readonly #measure: (hash: string) => Promise<number | undefined>;
  readonly #shelves = new Map<string, Promise<void>>();
  #counted = 0;
  #blobs = 0;
  #bytes = 0;

  constructor(layout: Layout, measure: (hash: string) => Promise<number | undefined>) {
    this.#layout = layout;
    this.#measure = measure;
  }

  get isDone(): boolean {
    return this.#counted === this.#layout.shelves.length;
  }

  get totals(): { readonly blobs: number; readonly bytes: number } {
    return { blobs: this.#blobs, bytes: this.#blobs === 0 ? 0 : Math.max(0, this.#bytes) };
  }

  async all(signal?: AbortSignal): Promise<void> {
    for (const shelf of this.#layout.shelves) {
      if (signal?.aborted) return;
      await this.#shelf(shelf);
    }
  }

  /** Whoever changes something on a shelf has it counted first, so that no blob is counted twice or never. */
  before(hash: string): Promise<void> {
    return this.#shelf(hash.slice(0, 2));
  }

  added(size: number): void {
    this.#blobs += 1;
    this.#bytes += size;
  }

  removed(size: number): void {
    this.#blobs -= 1;
    this.#bytes -= size;
  }

  #shelf(shelf: string): Promise<void> {
    const known = this.#shelves.get(shelf);
    if (known) return known;
    const counting = this.#count(shelf);
    this.#shelves.set(shelf, counting);
    counting.catch(() => this.#shelves.delete(shelf)); // the next one who needs it tries again
    return counting;
  }

  async #count(shelf: string): Promise<void> {
    const hashes = (await readdir(join(this.#layout.blobs, shelf))).filter(isHash);
    const sizes = await fewAtATime(AT_ONCE, hashes, this.#measure);
    for (const size of sizes) if (size !== undefined) this.added(size);
    this.#counted += 1;
  }
}
