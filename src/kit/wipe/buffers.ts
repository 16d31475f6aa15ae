/** Memory that pieces are written from and read into. All wipes of a process share it, so that it is never more than this. */
import { alignedBuffer } from '../host/aligned-buffer.ts';
import { Slots } from '../slots.ts';

/** Of one buffer. */
export const BUFFER_BYTES = 2 ** 19;
/** One for each of eight devices, or all of them for one. */
const BUFFERS = 8;

/** Each costs a lot of address space, so it is used again and again. */
const free: Buffer[] = [];

export class Buffers {
  readonly #slots = new Slots(BUFFERS);

  /** Lends a buffer, with whatever was last in it, for as long as the work takes. Who has one must not wait for another. */
  async lend<T>(signal: AbortSignal, work: (buffer: Buffer) => Promise<T>): Promise<T> {
    using _slot = await this.#slots.take(signal);
    const buffer = free.pop() ?? alignedBuffer(BUFFER_BYTES);
    try {
      return await work(buffer);
    } finally {
      free.push(buffer);
    }
  }
}

const ofHosts = new WeakMap<object, Buffers>();

/** Those of the process that sees the host as this. A simulated one that is killed takes what it has borrowed along. */
export function buffersOf(host: object): Buffers {
  const buffers = ofHosts.get(host) ?? new Buffers();
  ofHosts.set(host, buffers);
  return buffers;
}
