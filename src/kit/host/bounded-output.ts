/** What a program writes: its beginning is kept, the rest is read and dropped, so that the program never waits for us. */
import type { Readable } from 'node:stream';

export class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  #room: number;
  truncated = false;

  constructor(stream: Readable | null, maxBytes: number) {
    this.#room = maxBytes;
    stream?.on('data', (chunk: Buffer) => this.#add(chunk));
    stream?.on('error', () => {});
  }

  /** A character that the bound cuts in two is dropped. */
  get text(): string {
    const bytes = Buffer.concat(this.#chunks);
    return this.truncated ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString('utf8');
  }

  #add(chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#room);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#room -= kept.length;
    this.truncated ||= kept.length < chunk.length;
  }
}
