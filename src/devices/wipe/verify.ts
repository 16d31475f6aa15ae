/** Reads back what a wipe has written, from the device itself and not from memory. */
import { alignedBuffer } from '../../kit/host/aligned-buffer.ts';
import type { OpenDevice } from '../../kit/host/block-device.ts';
import type { Verification } from '../contract.ts';
import type { Extent, Pass } from './course.ts';
import { fillAt } from './keystream.ts';

const PIECE_BYTES = 2 ** 20;
/** Of each stretch, its beginning and its end included. */
const PLACES = 17;

export interface VerifyOrder {
  readonly device: OpenDevice;
  readonly course: readonly Pass[];
  readonly seed?: string | undefined;
  readonly verification: Verification;
  readonly signal: AbortSignal;
}

/** Where the first byte is that is not as it should be; nothing when all is well. */
export async function verify({
  device,
  course,
  seed = '',
  verification,
  signal,
}: VerifyOrder): Promise<number | undefined> {
  const expected = alignedBuffer(PIECE_BYTES);
  const found = alignedBuffer(PIECE_BYTES);
  const zeroes = Buffer.alloc(PIECE_BYTES);
  for (const { does, extents } of course) {
    if (does === 'discard') continue;
    for (const { start, length } of placesOf(extents, verification)) {
      signal.throwIfAborted();
      if (does === 'randomise') fillAt(seed, start, expected.subarray(0, length), zeroes);
      else expected.fill(0);
      await device.read(found.subarray(0, length), start);
      const fault = firstDifference(found.subarray(0, length), expected.subarray(0, length));
      if (fault !== undefined) return start + fault;
    }
  }
  return undefined;
}

function* placesOf(extents: readonly Extent[], verification: Verification): Generator<Extent> {
  for (const extent of extents) yield* placesIn(extent, verification);
}

/** The same places each time, so that a failure can be looked at again. They do not overlap. */
function* placesIn({ start, length }: Extent, verification: Verification): Generator<Extent> {
  const pieces = Math.ceil(length / PIECE_BYTES);
  const places = verification === 'all' ? pieces : Math.min(pieces, PLACES);
  for (let place = 0; place < places; place++) {
    const offset = Math.round((place * (pieces - 1)) / Math.max(1, places - 1)) * PIECE_BYTES;
    yield { start: start + offset, length: Math.min(PIECE_BYTES, length - offset) };
  }
}

function firstDifference(one: Buffer, other: Buffer): number | undefined {
  if (one.equals(other)) return undefined;
  return one.findIndex((byte, index) => byte !== other[index]);
}
