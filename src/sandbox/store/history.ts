/** The latest changes of one collection, as many as are kept, in the order in which they happened. */
import type { ApiObject } from '../api-object.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly key: string;
  /** As it is now, or was at last; its resourceVersion is this change's. */
  readonly object: ApiObject;
  /** As it was before. */
  readonly old?: ApiObject;
}

export class History {
  readonly #length: number;
  #changes: Change[] = [];
  /** Up to here it may have forgotten something. */
  #forgotten: number;

  constructor(length: number, since: number) {
    this.#length = length;
    this.#forgotten = since;
  }

  /** The revision that changes are known since. */
  get start(): number {
    return this.#forgotten;
  }

  push(change: Change): void {
    this.#changes.push(change);
    // Cut in pieces as long as itself, so that each change costs a moment and not a copy of all.
    if (this.#changes.length >= 2 * this.#length) this.#forget(this.#changes.length - this.#length);
  }

  /** Everything up to a revision. */
  forget(revision: number): void {
    const count = this.#firstAfter(revision);
    if (count > 0) this.#changes = this.#changes.slice(count);
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** What happened after a revision; nothing when some of that is forgotten. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    return this.#changes.slice(this.#firstAfter(revision));
  }

  #forget(count: number): void {
    this.#forgotten = this.#changes[count - 1]?.revision ?? this.#forgotten;
    this.#changes = this.#changes.slice(count);
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
