/**
 * Directories whose changes have to be on the disk before somebody is told of them, and which of them have changed since they last were.
 * At the start all may have: nobody knows what an earlier life had changed when it was killed.
 */
import { GatheredFsync } from './gathered-fsync.ts';

export class Directories implements AsyncDisposable {
  readonly #fsyncs: GatheredFsync;
  /** How often each was changed, the first time being before the start, and how much of that is on the disk. */
  readonly #changes = new Map<string, number>();
  readonly #settled = new Map<string, number>();

  constructor(fsyncs: GatheredFsync = new GatheredFsync()) {
    this.#fsyncs = fsyncs;
  }

  /** To be called when the change has been made, or may have been. */
  changed(path: string): void {
    this.#changes.set(path, this.#changesOf(path) + 1);
  }

  /** Resolves when all that was changed before this call is on the disk. */
  async sync(path: string): Promise<void> {
    const changes = this.#changesOf(path);
    await this.#fsyncs.sync(path);
    this.#settled.set(path, Math.max(changes, this.#settled.get(path) ?? 0));
  }

  /** The same, at no cost for one in which nothing has changed. */
  async settle(path: string): Promise<void> {
    if ((this.#settled.get(path) ?? 0) < this.#changesOf(path)) await this.sync(path);
  }

  #changesOf(path: string): number {
    return this.#changes.get(path) ?? 1;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#fsyncs[Symbol.asyncDispose]();
  }
}
