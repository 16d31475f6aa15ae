/** Memory that pieces are written from and read into. All wipes have it in common, and it is used again and again. */
import { alignedBuffer } from '../../kit/host/aligned-buffer.ts';

/** Of one buffer. Eight devices with four pieces in flight each have 32 of them. */
export const BUFFER_BYTES = 2 ** 19;

const free: Buffer[] = [];

/** Lends a buffer, with whatever was last in it, for as long as the work takes. */
export async function withBuffer<T>(work: (buffer: Buffer) => Promise<T>): Promise<T> {
  const buffer = free.pop() ?? alignedBuffer(BUFFER_BYTES);
  try {
    return await work(buffer);
  } finally {
    free.push(buffer);
  }
}
