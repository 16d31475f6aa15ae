/** Reads back what a wipe has written, from the device itself and not from memory. */
import type { OpenDevice } from '../host/block-device.ts';
import { BUFFER_BYTES, type Buffers } from './buffers.ts';
import type { Extent, Pass } from './course.ts';
import { inParallel } from './in-parallel.ts';
import { keystream } from './keystream.ts';
import type { Verification } from './methods.ts';
import type { Pace } from './pace.ts';

/** Of each stretch, its beginning and its end included. */
const PLACES = 17;
const IN_FLIGHT = 2;
const ZEROES = Buffer.alloc(BUFFER_BYTES);
/** Filled and compared without a pause in between, so that one is enough for all. */
const EXPECTED = Buffer.alloc(BUFFER_BYTES);

export interface VerifyOrder {
  /** Opened for direct reads. */
  readonly device: OpenDevice;
  readonly course: readonly Pass[];
  readonly seed?: string | undefined;
  readonly verification: Verification;
  readonly buffers: Buffers;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

export type Verified =
  /** How many bytes were read back. All of them are as they should be. */
  | { readonly bytes: number }
  /** Where a byte is that is not: the first of those that were found. */
  | { readonly faultAt: number };

/** What was only discarded can read as anything, and is not looked at. */
export async function verify(order: VerifyOrder): Promise<Verified> {
  const { course, seed = '', verification } = order;
  let bytes = 0;
  for (const { does, extents } of course) {
    if (does === 'discard') continue;
    const check = does === 'randomise' ? isKeystream(seed) : isZero;
    const found = await read(placesOf(extents, verification, order.pace.most(BUFFER_BYTES)), check, order);
    if ('faultAt' in found) return found;
    bytes += found.bytes;
  }
  return { bytes };
}

/** Where the first difference is, in a buffer that was read from `position`. */
type Check = (found: Buffer, position: number) => number | undefined;

const isZero: Check = (found) => firstDifference(found, ZEROES.subarray(0, found.length));

function isKeystream(seed: string): Check {
  const fill = keystream(seed);
  return (found, position) => {
    const piece = EXPECTED.subarray(0, found.length);
    fill(piece, position);
    return firstDifference(found, piece);
  };
}

async function read(places: Generator<Extent>, check: Check, order: VerifyOrder): Promise<Verified> {
  const { device, buffers, pace, signal } = order;
  const faults: number[] = [];
  let bytes = 0;
  await inParallel(IN_FLIGHT, places, signal, async ({ start, length }, either) => {
    if (faults.length > 0) return;
    await pace.turn(length, either);
    await buffers.lend(either, async (buffer) => {
      const found = buffer.subarray(0, length);
      await device.read(found, start);
      bytes += length;
      const fault = check(found, start);
      if (fault !== undefined) faults.push(start + fault);
    });
  });
  return faults.length > 0 ? { faultAt: Math.min(...faults) } : { bytes };
}

function* placesOf(extents: readonly Extent[], verification: Verification, placeBytes: number): Generator<Extent> {
  for (const extent of extents) yield* placesIn(extent, verification, placeBytes);
}

/** The same places each time, so that a failure can be looked at again. They do not overlap. */
function* placesIn({ start, length }: Extent, verification: Verification, placeBytes: number): Generator<Extent> {
  const pieces = Math.ceil(length / placeBytes);
  const places = verification === 'all' ? pieces : Math.min(pieces, PLACES);
  for (let place = 0; place < places; place++) {
    const offset = Math.round((place * (pieces - 1)) / Math.max(1, places - 1)) * placeBytes;
    yield { start: start + offset, length: Math.min(placeBytes, length - offset) };
  }
}

function firstDifference(one: Buffer, other: Buffer): number | undefined {
  if (one.equals(other)) return undefined;
  return one.findIndex((byte, index) => byte !== other[index]);
}
