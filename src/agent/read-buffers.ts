/**
 * What blobs are read into. New memory for each read would have to be cleared by the kernel first, and would keep the garbage collector
 * busy; so what a reader no longer needs is kept for the next one.
 */
import { MOST_PIECES } from './memory-shares.ts';
import { PIECE_BYTES } from './trailer.ts';

const LARGE_BYTES = MOST_PIECES * PIECE_BYTES;
/** 4 MiB. */
const MOST_KEPT = 16;
const kept: Buffer[] = [];

/** Two that take turns: one is filled while the other is used. */
export class ReadBuffers implements Disposable {
  #last: Buffer = Buffer.alloc(0);
  #next: Buffer = Buffer.alloc(0);

  next(length: number): Buffer {
    const buffer = this.#next.length < length ? this.#larger(length) : this.#next;
    this.#next = this.#last;
    this.#last = buffer;
    return buffer.subarray(0, length);
  }

  /** Only when nobody uses any more what was read into them. */
  [Symbol.dispose](): void {
    this.#keep(this.#last);
    this.#keep(this.#next);
    this.#last = this.#next = Buffer.alloc(0);
  }

  #larger(length: number): Buffer {
    this.#keep(this.#next);
    const known = length === LARGE_BYTES ? kept.pop() : undefined; // who has a smaller share takes no more than that
    return known ?? Buffer.allocUnsafeSlow(length);
  }

  #keep(buffer: Buffer): void {
    if (buffer.length === LARGE_BYTES && kept.length < MOST_KEPT) kept.push(buffer);
  }
}
