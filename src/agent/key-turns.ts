/** One at a time for each key, in the order in which they asked. */

export class KeyTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before ? before.then(work) : work();
    const over = mine.catch(() => {});
    this.#last.set(key, over);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }

  /** Resolves when nobody who has asked by now has a turn before them. */
  async idle(key: string): Promise<void> {
    await this.#last.get(key);
  }
}
