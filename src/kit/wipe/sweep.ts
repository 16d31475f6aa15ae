/** How far a sweep over a device is, while several pieces of it are being written at the same time and end in any order. */
import type { Piece } from './course.ts';

export class Sweep {
  /** Where the pieces begin that have been begun and have not ended. */
  readonly #under = new Set<number>();
  #begun: number;

  constructor(from: number) {
    this.#begun = from;
  }

  /** All bytes up to here are written. */
  get doneBytes(): number {
    return this.#under.size === 0 ? this.#begun : Math.min(...this.#under);
  }

  /** Pieces begin in their order. */
  begin({ at, length }: Piece): void {
    this.#under.add(at);
    this.#begun = at + length;
  }

  end({ at }: Piece): void {
    this.#under.delete(at);
  }
}
