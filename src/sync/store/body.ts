/** The body of an answer, read whole and no further than it may be. */
import { addAbortSignal, type Readable } from 'node:stream';
import { inBytes } from '../../kit/in-words.ts';
import type { Call } from './calls.ts';
import { failure } from './failure.ts';

export interface BodyOptions {
  /** As announced; nothing when it was not. */
  readonly length: number | undefined;
  readonly most: number;
  readonly signal: AbortSignal;
  readonly alive: () => void;
}

/** Throws `tooLarge` or `incomplete`. What is not read to its end is let go of, with its connection. */
export async function readBody(call: Call, body: Readable, options: BodyOptions): Promise<Buffer> {
  const { length, most, signal, alive } = options;
  addAbortSignal(signal, body);
  try {
    if (length !== undefined && length > most) throw tooLarge(call, most);
    const read = new Chunks(length);
    for await (const chunk of chunksOf(call, body)) {
      if (read.size + chunk.length > most) throw tooLarge(call, most);
      read.add(chunk);
      alive();
    }
    if (length !== undefined && read.size !== length) throw cutOff(call, read.size, length);
    return read.whole();
  } finally {
    body.destroy();
  }
}

/** What is said here about the connection is that it has ended too early, whatever the reason. */
async function* chunksOf(call: Call, body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw failure('incomplete', call, 'the connection ended in the middle of it', { cause });
  }
}

const tooLarge = (call: Call, most: number) => failure('tooLarge', call, `it has more than ${inBytes(most)} bytes`);

const cutOff = (call: Call, size: number, length: number) =>
  failure('incomplete', call, `${size} bytes came, where ${length} were announced`);

/** Into one buffer where the length is known: an export would else be there twice, for a moment. */
class Chunks {
  readonly #buffer: Buffer | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(length: number | undefined) {
    this.#buffer = length === undefined ? undefined : Buffer.allocUnsafeSlow(length);
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    if (this.#buffer) chunk.copy(this.#buffer, this.#size);
    else this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  whole(): Buffer {
    return this.#buffer ?? Buffer.concat(this.#chunks);
  }
}
