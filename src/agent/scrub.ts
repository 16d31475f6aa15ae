/** Reads everything that is stored, slowly and again and again: what has gone bad is found before somebody needs it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../kit/backoff.ts';
import { type Clock, sleep } from '../kit/clock/clock.ts';
import type { Log } from '../kit/observe/log.ts';
import { Pace } from '../kit/wipe/pace.ts';
import { CorruptBlob } from './corrupt-blob.ts';
import type { DiskStore } from './disk-store.ts';
import { isHash } from './keys.ts';
import type { Layout } from './layout.ts';
import type { AgentMetrics } from './metrics.ts';

export interface ScrubOptions {
  readonly layout: Layout;
  readonly store: Pick<DiskStore, 'verify'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Pick<AgentMetrics, 'scrubbed' | 'scrubEnded'>;
  /** In bytes per second. */
  readonly bandwidth: number;
  /** From the end of one to the begin of the next. */
  readonly pauseMs: number;
}

/** Runs until the signal is aborted. */
export async function scrub(options: ScrubOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, pauseMs } = options;
  try {
    for (;;) {
      await scrubOnce(options, signal);
      await sleep(clock, pauseMs, signal);
    }
  } catch (err) {
    if (!signal.aborted) log.error({ err }, 'the scrub has ended; what goes bad from now on is found when it is read');
  }
}

/** Begins anywhere, so that an agent that is often started anew gets to everything, too. */
async function scrubOnce(
  { layout, clock, random, metrics, ...rest }: ScrubOptions,
  signal: AbortSignal,
): Promise<void> {
  const pace = new Pace(rest.bandwidth, clock);
  const first = Math.floor(random() * layout.shelves.length);
  const read = async (bytes: number) => {
    metrics.scrubbed(bytes);
    await pace.turn(bytes, signal);
  };
  let isWhole = true;
  for (const shelf of [...layout.shelves.slice(first), ...layout.shelves.slice(0, first)]) {
    const names = await readdir(join(layout.blobs, shelf)).catch((err: unknown) => {
      rest.log.error({ err }, 'a directory of blobs cannot be read; the scrub goes on with the others');
      isWhole = false;
      return [];
    });
    for (const hash of names.filter(isHash)) {
      await verified(rest, hash, read, signal);
      signal.throwIfAborted();
    }
  }
  if (isWhole) metrics.scrubEnded(clock.now());
}

/** One that cannot be read is no reason not to look at the others. */
async function verified(
  { store, log }: Pick<ScrubOptions, 'store' | 'log'>,
  hash: string,
  read: (bytes: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await store.verify(hash, read);
  } catch (err) {
    if (err instanceof CorruptBlob || err === signal.reason) return; // what was put aside was said to be
    log.warn({ err, hash }, 'a blob could not be read; the scrub goes on');
  }
}
