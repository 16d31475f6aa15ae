/** Lets nothing be left of what was written to a logical volume, by its open descriptor. */
import * as z from 'zod';
import type { Clock } from '../kit/clock/clock.ts';
import { Retry } from '../kit/controller/outcome.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Commands } from '../kit/host/command.ts';
import { buffersOf } from '../kit/wipe/buffers.ts';
import { courseOf, lengthOf, type Pass } from '../kit/wipe/course.ts';
import { newSeed } from '../kit/wipe/keystream.ts';
import type { WipeMethod } from '../kit/wipe/methods.ts';
import { Pace } from '../kit/wipe/pace.ts';
import { verify } from '../kit/wipe/verify.ts';
import { wipe } from '../kit/wipe/wipe.ts';
import type { ShredMethod } from './contract.ts';
import type { LogicalVolume } from './facts.ts';

export interface ShredParts {
  readonly clock: Clock;
  readonly commands: Commands;
  readonly progress: (doneBytes: number, ofBytes: number) => void;
  readonly signal: AbortSignal;
}

const DISCARDS = z.object({
  report: z.tuple([z.object({ lv: z.tuple([z.object({ kernel_discards: z.string() })]) })]),
});

/** The kernel does not where a disk takes less at once than a pool gives back. Throws for what it does not understand. */
export function passesDiscardsOn(json: string): boolean {
  const [{ lv }] = DISCARDS.parse(JSON.parse(json)).report;
  return lv[0].kernel_discards === 'passdown';
}

const METHODS: Readonly<Record<ShredMethod, WipeMethod>> = {
  none: 'zero-all',
  zero: 'zero-all',
  discard: 'discard',
  random: 'random-all',
};

/** What is done to it, and what it reads as afterwards. */
interface Shredding {
  readonly course: readonly Pass[];
  readonly result: readonly Pass[];
}

/** To write to a thin volume would fill its pool. What is discarded in one reads as zeroes. */
function shreddingOf(method: ShredMethod, { pool }: Pick<LogicalVolume, 'pool'>, sizeBytes: number): Shredding {
  const extents = [{ start: 0, length: sizeBytes }];
  if (pool !== undefined) return { course: [{ does: 'discard', extents }], result: [{ does: 'zero', extents }] };
  const course = courseOf(METHODS[method], sizeBytes);
  return { course, result: course };
}

/**
 * Resolves when it is on the disk and samples of it have been read back. Nobody remembers how far it came: when it is cut off, it is done
 * again from the beginning, which costs time and is never wrong.
 */
export async function shred(
  device: OpenDevice,
  lv: LogicalVolume,
  method: ShredMethod,
  { clock, commands, progress, signal }: ShredParts,
): Promise<void> {
  const facts = await device.facts();
  if (BigInt(facts.sizeBytes) !== lv.sizeBytes)
    throw new Retry(`${device.path} has ${facts.sizeBytes} bytes, and ${lv.sizeBytes} when it was looked at`);
  const { course, result } = shreddingOf(method, lv, facts.sizeBytes);
  const total = lengthOf(course);
  const order = { device, seed: newSeed(), pace: new Pace(undefined, clock), signal };
  await wipe(
    {
      ...order,
      facts,
      course,
      from: 0,
      progress: (doneBytes) => progress(doneBytes, total),
      checkpoint: async () => {},
    },
    { clock, commands },
  );
  const found = await verify({ ...order, course: result, verification: 'sample', buffers: buffersOf(commands) });
  if ('faultAt' in found)
    throw new Retry(`the byte at ${found.faultAt} of ${device.path} is not what it has to be after it was shredded`);
}
