/** Waiting longer after each failure: exponential, with full jitter so that many clients do not come back at the same moment. */
export type Random = () => number;

export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** How long to wait after the `failures`-th failure in a row, counted from 1: anything between nothing and the doubled base. */
export function backoffMs(backoff: Backoff, failures: number, random: Random): number {
  const ceiling = Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(failures - 1, 50));
  return Math.ceil(random() * ceiling);
}
