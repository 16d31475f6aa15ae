/** One wipe of a device that is held and that the guards have let pass: from the record of its beginning to the receipt. */
import type { Clock } from '../kit/clock/clock.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Commands } from '../kit/host/command.ts';
import type { Config, WipeMethod } from './contract.ts';
import type { Receipt, WipeRecord } from './ledger/entry.ts';
import type { Observed } from './observed.ts';
import { courseOf, lengthOf } from './wipe/course.ts';
import { newSeed } from './wipe/keystream.ts';
import { verify } from './wipe/verify.ts';
import { wipe } from './wipe/wipe.ts';

export interface WipingParts {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly bandwidth?: number | undefined;
  /** Resolves when it is on the disk. */
  readonly record: (wipe: WipeRecord) => Promise<void>;
  readonly progress: (doneBytes: number, ofBytes: number) => void;
}

/** What is read back is not what was written. */
export class NotAsWritten extends Error {
  override readonly name = 'NotAsWritten';
}

/** `begun` is what is known of an earlier attempt. */
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
  const first = begun?.method === wipeMethod && begun.doneBytes <= total ? begun : beginning(wipeMethod, clock.now());
  const { seed } = first;
  await record(first);
  const order = { device, facts, course, seed, from: first.doneBytes, bandwidth, signal };
  await wipe(
    {
      ...order,
      progress: (doneBytes) => progress(doneBytes, total),
      checkpoint: (doneBytes) => record({ ...first, doneBytes }),
    },
    { clock, commands },
  );
  const fault = await verify({ device, course, seed, verification: wipeVerify, signal });
  if (fault !== undefined) {
    await record(beginning(wipeMethod, clock.now()));
    throw new NotAsWritten(`the byte at ${fault} of ${path} is not what was written there: the device fails`);
  }
  const now = clock.now();
  const seconds = (now.getTime() - Date.parse(first.startedAt)) / 1000;
  return { method: wipeMethod, bytes: total, seconds, verified: wipeVerify, at: now.toISOString() };
}

const beginning = (method: WipeMethod, now: Date): WipeRecord => ({
  method,
  ...(method === 'random-all' && { seed: newSeed() }),
  startedAt: now.toISOString(),
  doneBytes: 0,
});
