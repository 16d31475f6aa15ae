/** One at a time for each key, in the order in which they asked. */

/** Until it is disposed of, it knows whether somebody has asked for a turn since it was made. */
export interface Watch extends Disposable {
  readonly hasSeenTurn: boolean;
}

export class KeyTurns {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #watches = new Map<string, Set<{ hasSeenTurn: boolean }>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    for (const watch of this.#watches.get(key) ?? []) watch.hasSeenTurn = true;
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

  watch(key: string): Watch {
    const watches = this.#watches.get(key) ?? new Set();
    const watch = {
      hasSeenTurn: this.#last.has(key),
      [Symbol.dispose]: () => {
        watches.delete(watch);
        if (watches.size === 0 && this.#watches.get(key) === watches) this.#watches.delete(key);
      },
    };
    this.#watches.set(key, watches.add(watch));
    return watch;
  }
}
