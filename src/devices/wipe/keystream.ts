/** Bytes that look random and can be made again from a seed, from any position on: so they can be read back and checked. */
import { createCipheriv, randomBytes } from 'node:crypto';

const BLOCK_BYTES = 16;
const SEED_BYTES = 32;

/** As text. */
export const newSeed = (): string => randomBytes(SEED_BYTES).toString('hex');

/** Fills `into`, which is no longer than `CHUNK_BYTES`, with the bytes that belong at `position`, which is a multiple of 16. */
export type Keystream = (into: Uint8Array, position: number) => void;

/**
 * The most that is made at once. It takes the event loop's thread half a millisecond: less than handing the work to another thread
 * costs, which has to copy all of it twice.
 */
export const CHUNK_BYTES = 2 ** 20;

const zeroes = new Uint8Array(CHUNK_BYTES);

export function keystream(seed: string): Keystream {
  const key = Buffer.from(seed, 'hex');
  return (into, position) => {
    const counter = Buffer.alloc(BLOCK_BYTES);
    counter.writeBigUInt64BE(BigInt(position / BLOCK_BYTES), BLOCK_BYTES / 2);
    const made = createCipheriv('aes-256-ctr', key, counter).update(zeroes.subarray(0, into.length));
    into.set(made);
    release(made);
  };
}

/** A wipe makes gigabytes in a second, and the garbage collector would let hundreds of megabytes lie around. */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
