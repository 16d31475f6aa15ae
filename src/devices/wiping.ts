/** One wipe of a device that is held and that the guards have let pass: from the record of its beginning to the receipt. */
import type { Clock } from '../kit/clock/clock.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Commands } from '../kit/host/command.ts';
import { buffersOf } from '../kit/wipe/buffers.ts';
import { courseOf, coveredBy, lengthOf, writtenBy } from '../kit/wipe/course.ts';
import { newSeed } from '../kit/wipe/keystream.ts';
import { Pace } from '../kit/wipe/pace.ts';
import { verify } from '../kit/wipe/verify.ts';
import { wipe } from '../kit/wipe/wipe.ts';
import type { Config, WipeMethod } from './contract.ts';
import type { Receipt, WipeRecord } from './ledger/entry.ts';
import type { Observed } from './observed.ts';

export interface WipingParts {
  readonly commands: Commands;
  readonly clock: Clock;
  /** In bytes per second; without it, as fast as the device. */
  readonly bandwidth?: number | undefined;
  /** Resolves when it is on the disk. */
  readonly record: (wipe: WipeRecord) => Promise<void>;
  readonly progress: (doneBytes: number, ofBytes: number) => void;
}

/** What is read back is not what was written. */
export class NotAsWritten extends Error {
  override readonly name = 'NotAsWritten';
}

/**
 * `begun` is what is known of an earlier attempt that did not end, since which nobody has had the device. Nothing is written before
 * the record of it is on the disk. The receipt's `seconds` run from the first beginning to the end, time stopped included.
 */
export async function wipeHeld(
  device: OpenDevice,
  { facts, path }: Pick<Observed, 'facts' | 'path'>,
  { wipeMethod, wipeVerify }: Pick<Config, 'wipeMethod' | 'wipeVerify'>,
  begun: WipeRecord | undefined,
  parts: WipingParts,
  signal: AbortSignal,
): Promise<Receipt> {
  const { clock, commands, bandwidth, record, progress } = parts;
  const course = courseOf(wipeMethod, facts.sizeBytes);
  const total = lengthOf(course);
  const attempt = canGoOn(begun, wipeMethod, total) ? begun : beginning(wipeMethod, clock.now());
  const seconds = secondsSince(attempt.startedAt, clock);
  const order = { device, facts, course, seed: attempt.seed, pace: new Pace(bandwidth, clock), signal };

  await record(attempt);
  progress(attempt.doneBytes, total);
  await wipe(
    {
      ...order,
      from: attempt.doneBytes,
      progress: (doneBytes) => progress(doneBytes, total),
      checkpoint: (doneBytes) => record({ ...attempt, doneBytes }),
    },
    { clock, commands },
  );
  const found = await verify({ ...order, buffers: buffersOf(commands), verification: wipeVerify });
  if ('faultAt' in found) {
    await record(beginning(wipeMethod, clock.now()));
    throw new NotAsWritten(`the byte at ${found.faultAt} of ${path} is not what was written there: the device fails`);
  }
  return {
    method: wipeMethod,
    bytes: coveredBy(course),
    writtenBytes: writtenBy(course),
    seconds: seconds(),
    verified: wipeVerify,
    verifiedBytes: found.bytes,
    at: clock.now().toISOString(),
  };
}

/** What another method, or another seed, has left behind is no part of this wipe. */
function canGoOn(begun: WipeRecord | undefined, method: WipeMethod, total: number): begun is WipeRecord {
  if (begun?.method !== method || begun.doneBytes > total) return false;
  return method !== 'random-all' || begun.seed !== undefined;
}

const beginning = (method: WipeMethod, now: Date): WipeRecord => ({
  method,
  ...(method === 'random-all' && { seed: newSeed() }),
  startedAt: now.toISOString(),
  doneBytes: 0,
});

/** Since the first beginning, time stopped between attempts included. Within this attempt a jump of the clock changes nothing. */
function secondsSince(startedAt: string, clock: Clock): () => number {
  const beforeMs = Math.max(0, clock.now().getTime() - Date.parse(startedAt));
  const started = clock.monotonic();
  return () => Math.round(beforeMs + clock.monotonic() - started) / 1000;
}
