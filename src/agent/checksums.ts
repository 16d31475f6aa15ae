/** The checksums of a blob while its bytes come by: of each piece, and of the whole where nobody else sees to that. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CRC_BYTES, PIECE_BYTES, piecesOf } from './trailer.ts';

/** For a blob of 32 MiB; doubled when it is full. */
const FIRST_PIECES = 512;

export class Checksums {
  readonly #whole: ReturnType<typeof createHash> | undefined;
  #pieces = Buffer.alloc(FIRST_PIECES * CRC_BYTES);
  #current = 0;
  #size = 0;

  constructor({ ofWhole = true }: { readonly ofWhole?: boolean } = {}) {
    this.#whole = ofWhole ? createHash('sha256') : undefined;
  }

  get size(): number {
    return this.#size;
  }

  add(bytes: Buffer): void {
    this.#whole?.update(bytes);
    for (let start = 0; start < bytes.length; ) {
      const end = Math.min(bytes.length, start + PIECE_BYTES - (this.#size % PIECE_BYTES));
      this.#current = crc32(bytes.subarray(start, end), this.#current);
      this.#size += end - start;
      start = end;
      if (this.#size % PIECE_BYTES === 0) this.#endPiece();
    }
  }

  /** To be asked once, at the end. */
  finish(): { readonly sha256: string | undefined; readonly pieces: Buffer } {
    if (this.#size % PIECE_BYTES !== 0) this.#endPiece();
    return { sha256: this.#whole?.digest('hex'), pieces: this.#pieces.subarray(0, piecesOf(this.#size) * CRC_BYTES) };
  }

  #endPiece(): void {
    const at = (piecesOf(this.#size) - 1) * CRC_BYTES;
    if (at === this.#pieces.length) this.#pieces = Buffer.concat([this.#pieces, Buffer.alloc(this.#pieces.length)]);
    this.#pieces.writeUInt32LE(this.#current, at);
    this.#current = 0;
  }
}
