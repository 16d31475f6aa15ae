/** When a pool will be full, if it goes on as it did of late. */

export interface Sample {
  /** In milliseconds of a clock that never goes back. */
  readonly at: number;
  readonly usedBytes: number;
}

/** What is older does not count, and what spans less says nothing. */
const WINDOW_MS = 3_600_000;
const SHORTEST_MS = 600_000;
/** Samples that are closer replace each other: a busy pool is looked at every few seconds. */
const APART_MS = 30_000;
/** Further ahead nobody needs to know. */
const FURTHEST_MS = 365 * 86_400_000;

/** With one more, and without those that are too old. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const recent = samples.filter(({ at }) => sample.at - at <= WINDOW_MS);
  const [last, before] = [recent.at(-1), recent.at(-2)];
  const isClose = last !== undefined && before !== undefined && last.at - before.at < APART_MS;
  return [...(isClose ? recent.slice(0, -1) : recent), sample];
}

/** Nothing when it does not grow, or too little is known. By least squares: one large file more or less does not matter. */
export function timeToFullMs(samples: readonly Sample[], capacityBytes: number): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < SHORTEST_MS) return undefined;
  const slope = slopeOf(samples);
  if (!(slope > 0)) return undefined;
  const ms = Math.max(0, capacityBytes - last.usedBytes) / slope;
  return ms > FURTHEST_MS ? undefined : ms;
}

/** Bytes in a millisecond. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [at, used] = [mean((each) => each.at), mean((each) => each.usedBytes)];
  const covariance = mean((each) => (each.at - at) * (each.usedBytes - used));
  const variance = mean((each) => (each.at - at) ** 2);
  return variance === 0 ? 0 : covariance / variance;
}

/** A forecast that is as good as the one before is not told anew. */
const CLOSE = 0.2;

export const isCloseTo = (ms: number, before: number): boolean => Math.abs(ms - before) <= CLOSE * before;

/** In one unit: `40m`, `7h`, `12d`. */
export function inOneUnit(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 90) return `${Math.max(5, 5 * Math.round(minutes / 5))}m`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)}h`;
  return `${Math.round(minutes / 1440)}d`;
}
