/** Rows about how long each of many things took. */
import type { Row } from '../measure/row.ts';

/** Of a volume that never got its labels the delay is without end, and then so is the longest. */
export function delayRows(what: string, delays: readonly number[]): readonly Row[] {
  const row = (figure: string, share: number): Row => ({ what, figure, unit: 'ms', ours: quantile(delays, share) });
  return [
    row('ready to labelled, p50', 0.5),
    { ...row('ready to labelled, p99', 0.99), target: { oursAtMost: 1_000 } },
    row('ready to labelled, longest', 1),
  ];
}

/** The smallest that so large a share of them is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
