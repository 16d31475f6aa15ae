/** Writes of one file that many change: a change waits for the write that holds it, and all that come during one share the next. */

export class SharedWrites {
  readonly #write: () => Promise<void>;
  #changes = 0;
  /** How many changes are known to be on the disk. */
  #onDisk = 0;
  /** The write that is under way, and how many changes it holds. */
  #current: { readonly changes: number; readonly done: Promise<void> } | undefined;
  /** Is to begin when that one has ended. Two at a time could end in the wrong order. */
  #next: Promise<void> | undefined;

  /** `write` puts everything there as it is when it is called. */
  constructor(write: () => Promise<void>) {
    this.#write = async () => write();
  }

  /** Something has changed. Resolves when it is on the disk. */
  changed(): Promise<void> {
    this.#changes += 1;
    return this.written();
  }

  /** Resolves when everything that has changed so far is on the disk; what could not be written is tried again. */
  written(): Promise<void> {
    if (this.#onDisk === this.#changes) return Promise.resolve();
    if (this.#next) return this.#next;
    if (!this.#current) return this.#begin();
    if (this.#current.changes === this.#changes) return this.#current.done;
    const begin = () => this.#begin();
    this.#next = this.#current.done.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<void> {
    const changes = this.#changes;
    this.#next = undefined;
    const done = this.#finish(changes);
    this.#current = { changes, done };
    return done;
  }

  async #finish(changes: number): Promise<void> {
    try {
      await this.#write();
      this.#onDisk = changes;
    } finally {
      this.#current = undefined;
    }
  }
}
