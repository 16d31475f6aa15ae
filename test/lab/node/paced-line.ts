/**
 * The line to a guest, that is never given more than the guest has room for. It has no other way to say that there is too much: what its
 * terminal cannot hold stays behind, and now and then for ever.
 */
import { type Duplex, Writable } from 'node:stream';

/** What a terminal holds is 4096 bytes, and it begins to defend itself a little before. */
const ROOM_BYTES = 3_072;

export class PacedLine extends Writable {
  readonly readable: Duplex;
  #room = ROOM_BYTES;
  #waiting: { bytes: Buffer; sent: () => void } | undefined;

  constructor(line: Duplex) {
    super();
    this.readable = line;
  }

  /** The guest has taken so many bytes. */
  heard(bytes: number): void {
    this.#room += bytes;
    this.#send();
  }

  override _write(bytes: Buffer, _: BufferEncoding, sent: () => void): void {
    this.#waiting = { bytes, sent };
    this.#send();
  }

  #send(): void {
    if (!this.#waiting || this.#room === 0) return;
    const { bytes, sent } = this.#waiting;
    const now = bytes.subarray(0, this.#room);
    this.#room -= now.length;
    this.readable.write(now);
    this.#waiting = now.length < bytes.length ? { bytes: bytes.subarray(now.length), sent } : undefined;
    if (!this.#waiting) sent();
  }
}
