/**
 * The memory that all blobs share which come in or go out at the same time. Few of them go faster in large pieces; of many, each has
 * smaller ones, so that an agent of 100 MB is not killed for being asked by many at once.
 */
import { PIECE_BYTES } from './trailer.ts';

export const MOST_PIECES = 4;

export class MemoryShares {
  readonly #pieces: number;
  #holders = 0;

  /** So many bytes for all, as long as that is a piece for each. */
  constructor(bytes: number) {
    this.#pieces = bytes / PIECE_BYTES;
  }

  /** Until it is disposed of. */
  hold(): Disposable {
    this.#holders += 1;
    return {
      [Symbol.dispose]: () => {
        this.#holders -= 1;
      },
    };
  }

  /** How many pieces one of those who hold a share may have at once. It changes as others come and go. */
  get pieces(): number {
    return Math.max(1, Math.min(MOST_PIECES, Math.floor(this.#pieces / this.#holders)));
  }
}

const MIB = 1024 * 1024;
/** Each has twice its share: one part is gathered, or sent, while the other is written, or read. */
export const INCOMING = new MemoryShares(6 * MIB);
export const OUTGOING = new MemoryShares(6 * MIB);

/** Of the memory of its container, so much is for connections. The rest is that of the program. */
const FOR_CONNECTIONS = 0.4;
/** One piece that has come, one that is gathered, and one that is being written. */
const LEAST_BYTES_OF_EACH = 3 * PIECE_BYTES;
const MOST_CONNECTIONS = 512;

/** How many may be connected to an agent that has so much memory; nothing, or no end of it, where nobody has set a limit. */
export function connectionsFor(memoryBytes: number | undefined): number {
  if (!memoryBytes) return MOST_CONNECTIONS;
  return Math.max(1, Math.min(MOST_CONNECTIONS, Math.floor((memoryBytes * FOR_CONNECTIONS) / LEAST_BYTES_OF_EACH)));
}
