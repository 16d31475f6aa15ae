/** What a program writes: its beginning is kept, the rest is read and dropped, so that the program never waits for us. */
import type { Readable } from 'node:stream';

export class BoundedOutput {
  readonly #chunks: Uint8Array[] = [];
  #room: number;
  #truncated = false;

  constructor(maxBytes: number) {
    this.#room = maxBytes;
  }

  static of(stream: Readable | null, maxBytes: number): BoundedOutput {
    const output = new BoundedOutput(maxBytes);
    stream?.on('data', (chunk: Buffer) => output.add(chunk));
    stream?.on('error', () => {});
    return output;
  }

  add(chunk: Uint8Array): void {
    const kept = chunk.subarray(0, this.#room);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#room -= kept.length;
    this.#truncated ||= kept.length < chunk.length;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** A character that the bound cuts in two is dropped. */
  get text(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(this.#chunks), {
      stream: this.#truncated,
    });
  }
}
