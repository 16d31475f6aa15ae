/**
 * What time it is in the cluster, worked out of what it said last. Its clock may be ahead, and that of a demo runs faster. What it said
 * last may be long ago where nothing has changed: so a clock that seems to be behind is taken for right, and nothing looks younger than it is.
 */

export interface ClusterTime {
  /** What it was there, and here, when it was told. */
  readonly there: number;
  readonly here: number;
  /** How many times as fast it passes there. */
  readonly rate: number;
}

export const SAME_TIME: ClusterTime = { there: 0, here: 0, rate: 1 };

/** A rate out of less than this would be made of delays. */
const SHORTEST_MS = 4000;
const FASTEST = 100;
/** News take a moment to come. */
const DELAY_MS = 1500;

export function timeThere({ there, here, rate }: ClusterTime, now: number): number {
  return there + (now - here) * rate;
}

/** With what is told now. What is older than what was told before is heard late, and says nothing. */
export function withTime(before: ClusterTime, there: number, here: number): ClusterTime {
  if (Number.isNaN(there) || there < before.there) return before;
  const isFirst = before.there === 0 || before.there === before.here;
  if (!isFirst && here - before.here < SHORTEST_MS) return before;
  const rate = isFirst ? 1 : rateOf((there - before.there) / (here - before.here));
  const isSame = rate === 1 && there < here + DELAY_MS;
  return { there: isSame ? here : there, here, rate };
}

function rateOf(measured: number): number {
  if (measured < 1.2) return 1;
  return Math.min(FASTEST, measured);
}
