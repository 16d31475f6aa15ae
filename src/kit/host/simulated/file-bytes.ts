/** The content of a simulated disk in a sparse file: real bytes that anybody can look at, which take room only where something is written. */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { DiskContent } from './disk-content.ts';

const CHUNK_BYTES = 2 ** 20;
const ZEROES = Buffer.alloc(CHUNK_BYTES);

export class FileBytes implements DiskContent, Disposable {
  readonly #fd: number;
  readonly #sizeBytes: number;

  /** Makes the file, or goes on with one that is there. */
  constructor(path: string, sizeBytes: number) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#sizeBytes = sizeBytes;
    ftruncateSync(this.#fd, sizeBytes);
  }

  read(into: Uint8Array, position: number): void {
    const count = readSync(this.#fd, into, 0, into.length, position);
    into.fill(0, count);
  }

  write(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
  }

  zero(position: number, length: number): void {
    if (position === 0 && length >= this.#sizeBytes) {
      ftruncateSync(this.#fd, 0);
      ftruncateSync(this.#fd, this.#sizeBytes);
      return;
    }
    for (const { at, size } of this.#chunks(position, length))
      if (!this.#isZeroAt(at, size)) this.write(ZEROES.subarray(0, size), at);
  }

  sync(): void {
    fsyncSync(this.#fd);
  }

  /** Nothing: a file has no power of its own to lose. */
  loseUnsynced(): void {}

  isZero(position: number, length: number): boolean {
    return this.#chunks(position, length).every(({ at, size }) => this.#isZeroAt(at, size));
  }

  digest(): string {
    const hash = createHash('sha256');
    for (const { at, size } of this.#chunks(0, this.#sizeBytes)) {
      if (this.#isZeroAt(at, size)) continue;
      const chunk = Buffer.alloc(size);
      this.read(chunk, at);
      hash.update(`${at}:`).update(chunk);
    }
    return hash.digest('hex');
  }

  /** How much room the file takes. */
  get allocatedBytes(): number {
    return fstatSync(this.#fd).blocks * 512;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #isZeroAt(at: number, size: number): boolean {
    const chunk = Buffer.alloc(size);
    this.read(chunk, at);
    return chunk.equals(ZEROES.subarray(0, size));
  }

  #chunks(position: number, length: number): readonly { readonly at: number; readonly size: number }[] {
    const end = Math.min(position + length, this.#sizeBytes);
    const count = Math.max(0, Math.ceil((end - position) / CHUNK_BYTES));
    return Array.from({ length: count }, (_, index) => {
      const at = position + index * CHUNK_BYTES;
      return { at, size: Math.min(CHUNK_BYTES, end - at) };
    });
  }
}
