/** Parts of a process that start together and stop together. */

/** It runs until its signal is aborted, then finishes what it has begun and returns. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

export class Stage {
  /** Rejects as soon as a part fails, or ends before it was told to: a process with a dead part looks alive and is not. */
  readonly failed: Promise<never>;
  readonly #stop = new AbortController();
  readonly #parts: readonly Promise<void>[];

  constructor(runnables: readonly Runnable[]) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    promise.catch(() => undefined); // whoever cares awaits it as well
    this.#parts = runnables.map((each) => this.#supervise(each).catch(reject));
  }

  /** Tells every part to stop and waits until all have. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#parts);
  }

  async #supervise({ name, run }: Runnable): Promise<void> {
    try {
      await run(this.#stop.signal);
    } catch (cause) {
      throw new Error(`${name} failed: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    if (!this.#stop.signal.aborted) throw new Error(`${name} ended by itself`);
  }
}
