/** Bytes that look random and can be made again from a seed, from any position on: so they can be read back and checked. */
import { createCipheriv, randomBytes } from 'node:crypto';

const BLOCK_BYTES = 16;

/** 32 bytes, as text. */
export const newSeed = (): string => randomBytes(32).toString('hex');

/** Fills `into` with the bytes that belong at `position`, which is a multiple of 16. `zeroes` is as long, and all zero. */
export function fillAt(seed: string, position: number, into: Uint8Array, zeroes: Uint8Array): void {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(position / BLOCK_BYTES), 8);
  const cipher = createCipheriv('aes-256-ctr', Buffer.from(seed, 'hex'), counter);
  into.set(cipher.update(zeroes.subarray(0, into.length)));
}
