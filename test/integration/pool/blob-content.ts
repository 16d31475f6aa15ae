/** Blobs of mixed sizes whose bytes follow from their keys, so that nobody has to remember them. */
import { createCipheriv, createHash } from 'node:crypto';
import type { BlobSource } from '../../../src/pool-client/index.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const PIECE = 256 * KIB;

/** How many of each size there are in a row: small ones are many, and large ones are most of the bytes. */
const MIX: readonly (readonly [size: number, count: number])[] = [
  [64 * MIB, 1],
  [8 * MIB, 2],
  [MIB, 8],
  [64 * KIB, 32],
  [4 * KIB, 64],
];

/** Spread over the row, so that any stretch of it is mixed. */
const ROW: readonly number[] = MIX.flatMap(([size, count]) =>
  Array.from({ length: count }, (_, i) => ({ size, at: (i + 0.5) / count })),
)
  .toSorted((a, b) => a.at - b.at)
  .map(({ size }) => size);

/** Of the n-th blob. */
export const sizeOf = (n: number): number => ROW[n % ROW.length] ?? 0;

/** Its bytes are the same each time. */
export function blobOf(key: string, size: number): BlobSource {
  const hash = createHash('sha256');
  for (const piece of bytesOf(key, size)) hash.update(piece);
  const open = async function* () {
    yield* bytesOf(key, size);
  };
  return { size, sha256: hash.digest('hex'), open };
}

function* bytesOf(key: string, size: number): Generator<Buffer> {
  const seed = createHash('sha256').update(key).digest();
  const cipher = createCipheriv('aes-128-ctr', seed.subarray(0, 16), seed.subarray(16, 32));
  for (let left = size; left > 0; left -= PIECE) yield cipher.update(Buffer.alloc(Math.min(PIECE, left)));
}
