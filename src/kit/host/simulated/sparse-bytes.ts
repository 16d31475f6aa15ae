/** The content of a simulated disk: zeroes, except where something else was written. Remembers what a power cut would undo. */
import { createHash } from 'node:crypto';
import type { DiskContent } from './disk-content.ts';

const CHUNK_BYTES = 64 * 1024;
const ZEROES = new Uint8Array(CHUNK_BYTES);

export class SparseBytes implements DiskContent {
  readonly #chunks = new Map<number, Uint8Array>();
  /** As they were when last synced: the chunks that changed since. */
  readonly #synced = new Map<number, Uint8Array | undefined>();

  read(into: Uint8Array, position: number): void {
    for (const { index, start, from, to } of pieces(position, into.length)) {
      const chunk = this.#chunks.get(index);
      if (chunk) into.set(chunk.subarray(start, start + to - from), from);
      else into.fill(0, from, to);
    }
  }

  write(bytes: Uint8Array, position: number): void {
    for (const { index, start, from, to } of pieces(position, bytes.length)) {
      const piece = bytes.subarray(from, to);
      if (piece.length === CHUNK_BYTES) this.#replace(index, isZero(piece) ? undefined : new Uint8Array(piece));
      else if (this.#chunks.has(index) || !isZero(piece)) this.#changeable(index).set(piece, start);
    }
  }

  zero(position: number, length: number): void {
    for (const index of [...this.#chunks.keys()]) {
      const from = Math.max(position - index * CHUNK_BYTES, 0);
      const to = Math.min(position + length - index * CHUNK_BYTES, CHUNK_BYTES);
      if (from >= to) continue;
      if (to - from === CHUNK_BYTES) this.#replace(index, undefined);
      else this.#changeable(index).fill(0, from, to);
      if (isZero(this.#chunks.get(index) ?? ZEROES)) this.#chunks.delete(index);
    }
  }

  sync(): void {
    this.#synced.clear();
  }

  /** What a power cut leaves. */
  loseUnsynced(): void {
    for (const [index, chunk] of this.#synced)
      if (chunk) this.#chunks.set(index, chunk);
      else this.#chunks.delete(index);
    this.#synced.clear();
  }

  isZero(position: number, length: number): boolean {
    for (const [index, chunk] of this.#chunks) {
      const from = Math.max(position - index * CHUNK_BYTES, 0);
      const to = Math.min(position + length - index * CHUNK_BYTES, CHUNK_BYTES);
      if (from < to && !isZero(chunk.subarray(from, to))) return false;
    }
    return true;
  }

  /** Equal for equal content. */
  digest(): string {
    const hash = createHash('sha256');
    for (const [index, chunk] of [...this.#chunks].sort(([a], [b]) => a - b))
      if (!isZero(chunk)) hash.update(`${index}:`).update(chunk);
    return hash.digest('hex');
  }

  /** A whole chunk, by another or by zeroes. The one before is kept as it is: nobody changes it any more. */
  #replace(index: number, chunk: Uint8Array | undefined): void {
    const before = this.#chunks.get(index);
    if ((before || chunk) && !this.#synced.has(index)) this.#synced.set(index, before);
    if (chunk) this.#chunks.set(index, chunk);
    else this.#chunks.delete(index);
  }

  #changeable(index: number): Uint8Array {
    const chunk = this.#chunks.get(index);
    if (!this.#synced.has(index)) this.#synced.set(index, chunk?.slice());
    if (chunk) return chunk;
    const fresh = new Uint8Array(CHUNK_BYTES);
    this.#chunks.set(index, fresh);
    return fresh;
  }
}

/** The chunks that a range covers: `from` and `to` in the range, `start` in the chunk. */
function* pieces(position: number, length: number) {
  for (let from = 0; from < length; ) {
    const index = Math.floor((position + from) / CHUNK_BYTES);
    const start = position + from - index * CHUNK_BYTES;
    const to = Math.min(length, from + CHUNK_BYTES - start);
    yield { index, start, from, to };
    from = to;
  }
}

function isZero(bytes: Uint8Array): boolean {
  return Buffer.compare(bytes, ZEROES.subarray(0, bytes.length)) === 0;
}
