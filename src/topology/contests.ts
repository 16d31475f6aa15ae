/**
 * Notices when somebody undoes what we write, again and again: another controller that wants another value, or removes it. Then the
 * pauses get longer and longer, so that neither the API server nor etcd suffers.
 */
import { type Backoff, backoffMs } from '../kit/backoff.ts';
import type { Clock } from '../kit/clock/clock.ts';
import type { Labels } from '../kit/label-requirements.ts';
import { BoundedMap } from '../kit/observe/bounded-map.ts';

interface Write {
  /** What we wrote last. */
  readonly labels: Labels;
  /** How often what we wrote was undone, without a longer peace in between. */
  readonly undone: number;
  readonly at: number;
}

/** So often it is put right at once: somebody who tries something out is no rival. */
const AT_ONCE = 5;
const PAUSE: Backoff = { baseMs: 1_000, maxMs: 300_000 };
/** When nothing was written for so long, what was before is forgotten. */
const PEACE_MS = 1_800_000;
const MOST_VOLUMES = 10_000;

export class Contests {
  readonly #clock: Clock;
  readonly #writes = new BoundedMap<string, Write>(MOST_VOLUMES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For how long this volume, which has these labels now, should not be written to; 0 when it may be at once. */
  pauseMs(uid: string, labels: Labels): number {
    const write = this.#recent(uid);
    if (!write || write.undone < AT_ONCE || !isUndone(write, labels)) return 0;
    const pause = backoffMs(PAUSE, write.undone - AT_ONCE + 1, () => 1);
    return Math.max(0, write.at + pause - this.#clock.monotonic());
  }

  /** `before` is what the volume had, and `labels` what we wrote. */
  wrote(uid: string, before: Labels, labels: Labels): void {
    const write = this.#recent(uid);
    const undone = (write?.undone ?? 0) + (write && isUndone(write, before) ? 1 : 0);
    this.#writes.set(uid, { labels, undone, at: this.#clock.monotonic() });
  }

  #recent(uid: string): Write | undefined {
    const write = this.#writes.get(uid);
    return write && this.#clock.monotonic() - write.at <= PEACE_MS ? write : undefined;
  }
}

const isUndone = ({ labels }: Write, now: Labels): boolean =>
  Object.entries(labels).some(([key, value]) => now[key] !== value);
