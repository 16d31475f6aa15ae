/** Bytes that look random and can be made again from a seed, from any position on: so they can be read back and checked. */
import { createCipheriv, randomBytes } from 'node:crypto';

const BLOCK_BYTES = 16;
const SEED_BYTES = 32;

/** As text. */
export const newSeed = (): string => randomBytes(SEED_BYTES).toString('hex');

/**
 * Fills memory with the bytes that belong at `position`, which is a multiple of 16. It takes the event loop's thread a third of a
 * millisecond for a mebibyte: less than to hand the work to another thread, which would have to copy all of it twice.
 */
export type Keystream = (into: Uint8Array, position: number) => void;

/** What the cipher gives is memory of its own each time. If it is larger than this, the kernel has to find and clear the pages for it, which takes longer than the cipher. */
const STEP_BYTES = 64 * 1024;

const zeroes = new Uint8Array(STEP_BYTES);

export function keystream(seed: string): Keystream {
  const key = Buffer.from(seed, 'hex');
  let cipher = cipherAt(key, 0);
  let next = 0;
  return (into, position) => {
    if (position !== next) {
      cipher.final(); // or what it has outside of the heap would wait for the garbage collector
      cipher = cipherAt(key, position);
    }
    for (let done = 0; done < into.length; done += STEP_BYTES) {
      const made = cipher.update(zeroes.subarray(0, into.length - done));
      into.set(made, done);
      release(made);
    }
    next = position + into.length;
  };
}

function cipherAt(key: Buffer, position: number) {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(position / BLOCK_BYTES), BLOCK_BYTES / 2);
  return createCipheriv('aes-256-ctr', key, counter);
}

/** A wipe makes gigabytes in a second, and the garbage collector would let hundreds of megabytes lie around. */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
