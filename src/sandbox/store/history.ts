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
  /** Those before `#first` are forgotten. */
  #changes: (Change | undefined)[] = [];
  #first = 0;
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
    if (this.#changes.length - this.#first > this.#length) this.#forgetUpTo(this.#first + 1);
  }

  /** Everything up to a revision. */
  forget(revision: number): void {
    this.#forgetUpTo(this.#firstAfter(revision));
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** What happened after a revision; nothing when some of that is forgotten. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#forgotten) return undefined;
    return this.#changes.slice(this.#firstAfter(revision)) as Change[];
  }

  /** What is forgotten is let go at once; its places only together, so that each costs a moment and not a copy of all. */
  #forgetUpTo(place: number): void {
    for (; this.#first < place; this.#first++) {
      this.#forgotten = this.#changes[this.#first]?.revision ?? this.#forgotten;
      this.#changes[this.#first] = undefined;
    }
    if (this.#first < this.#length) return;
    this.#changes = this.#changes.slice(this.#first);
    this.#first = 0;
  }

  #firstAfter(revision: number): number {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
