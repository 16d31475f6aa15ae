/** What time it is in the cluster: by the clock here, put right by what the API server's answers say where the two surely differ. */
import type { CallRecord } from '../kube/caller.ts';
import type { Clock } from './clock.ts';
import { leastSkew, skewOf } from './skew.ts';

export class ClusterTime {
  readonly #clock: Clock;
  #aheadMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The latest answer counts: a clock may run faster than the one here. */
  heard({ date, seconds }: CallRecord): void {
    if (date === undefined) return;
    const receivedMs = this.#clock.now().getTime();
    const skew = skewOf({ date, sentMs: receivedMs - seconds * 1000, receivedMs });
    if (skew) this.#aheadMs = leastSkew(skew);
  }

  now(): Date {
    return new Date(this.#clock.now().getTime() + this.#aheadMs);
  }
}
