/**
 * Notices when a volume is written to again and again, because somebody undoes what we write: another controller that wants another
 * value, or removes it. Then the pauses get longer and longer, so that neither the API server nor etcd suffers.
 */
import { type Backoff, backoffMs } from '../kit/backoff.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { BoundedMap } from '../kit/observe/bounded-map.ts';

interface Writes {
  /** How many, without a longer pause between them. */
  readonly count: number;
  readonly lastAt: number;
}

/** So many come without a pause: pods that move, and users that come one after the other in other zones, are no contest. */
const WRITES_AT_ONCE = 5;
const PAUSE: Backoff = { baseMs: 1_000, maxMs: 300_000 };
/** When nothing was written for so long, what was before is forgotten. */
const PEACE_MS = 1_800_000;
const MOST_VOLUMES = 10_000;

export class Contests {
  readonly #clock: Clock;
  readonly #writes = new BoundedMap<string, Writes>(MOST_VOLUMES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For how long this volume should not be written to; 0 when it may be now. */
  pauseMs(uid: string): number {
    const writes = this.#recent(uid);
    if (!writes || writes.count < WRITES_AT_ONCE) return 0;
    const pause = backoffMs(PAUSE, writes.count - WRITES_AT_ONCE + 1, () => 1);
    return Math.max(0, writes.lastAt + pause - this.#clock.monotonic());
  }

  wrote(uid: string): void {
    this.#writes.set(uid, { count: this.countOf(uid) + 1, lastAt: this.#clock.monotonic() });
  }

  /** How many writes there were, without a longer pause between them. */
  countOf(uid: string): number {
    return this.#recent(uid)?.count ?? 0;
  }

  #recent(uid: string): Writes | undefined {
    const writes = this.#writes.get(uid);
    return writes && this.#clock.monotonic() - writes.lastAt <= PEACE_MS ? writes : undefined;
  }
}
