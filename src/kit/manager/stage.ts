/** Parts of a process that start together and stop together. */

/** It runs until its signal is aborted, then finishes what it has begun and returns. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

export class Stage {
  readonly #stop = new AbortController();
  readonly #running: Set<Runnable>;
  readonly #ended: Promise<unknown>;

  /**
   * Starts the parts. `fail` is told of each that fails, also after the stop, and of each that ends before it was told to: a process
   * with a dead part looks alive and is not.
   */
  constructor(runnables: readonly Runnable[], fail: (failure: Error) => void) {
    this.#running = new Set(runnables);
    this.#ended = Promise.all(runnables.map((each) => this.#supervise(each).catch(fail)));
  }

  /** Tells every part to stop, and why where that matters, and waits until all have. */
  async stop(reason?: unknown): Promise<void> {
    this.#stop.abort(reason);
    await this.#ended;
  }

  /** The names of the parts that were told to stop and have not ended. */
  get stragglers(): readonly string[] {
    return this.#stop.signal.aborted ? [...this.#running].map((each) => each.name) : [];
  }

  async #supervise(part: Runnable): Promise<void> {
    try {
      await part.run(this.#stop.signal);
    } catch (cause) {
      throw new Error(`${part.name} failed: ${cause instanceof Error ? cause.message : cause}`, { cause });
    } finally {
      this.#running.delete(part);
    }
    if (!this.#stop.signal.aborted) throw new Error(`${part.name} ended by itself`);
  }
}
