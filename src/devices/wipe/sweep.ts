/** How far a sweep over a device is, while several pieces of it are being written at the same time. */
import type { Extent } from './course.ts';

export class Sweep {
  /** Where the pieces begin that are being written. */
  readonly #under = new Set<number>();
  #handedOut: number;

  constructor(from: number) {
    this.#handedOut = from;
  }

  /** All bytes up to here are written. */
  get doneBytes(): number {
    return this.#under.size === 0 ? this.#handedOut : Math.min(...this.#under);
  }

  /** Pieces are written in any order, but handed out in theirs. */
  async write(piece: Extent, write: (piece: Extent) => Promise<void>): Promise<void> {
    const begin = this.#handedOut;
    this.#under.add(begin);
    this.#handedOut += piece.length;
    await write(piece);
    this.#under.delete(begin);
  }
}
