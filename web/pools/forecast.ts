/** A pool's use over time as lines of a chart: what was used, what there is, and where it goes. */
import type { PoolSample } from '../../src/console/model.ts';

/** Times in seconds; null where a line has no point. */
export interface ForecastLines {
  readonly at: readonly number[];
  readonly used: readonly (number | null)[];
  readonly capacity: readonly (number | null)[];
  readonly projected: readonly (number | null)[];
  /** When it is full, where that is still on the chart. */
  readonly fullAt?: number;
}

/** What is ahead takes as much of the chart as what has been, or an hour. */
const SHORTEST_HORIZON = 3600;

export function forecastLines(history: readonly PoolSample[], secondsToFull: number | undefined): ForecastLines {
  const at = history.map((sample) => Date.parse(sample.at) / 1000);
  const used = history.map(({ usedBytes }) => usedBytes);
  const capacity = history.map(({ capacityBytes }) => capacityBytes);
  const [first, last, latest] = [at[0], at.at(-1), history.at(-1)];
  if (first === undefined || last === undefined || !latest || secondsToFull === undefined || secondsToFull <= 0)
    return { at, used, capacity, projected: at.map(() => null) };
  const horizon = Math.max(last - first, SHORTEST_HORIZON);
  const ahead = Math.min(secondsToFull, horizon);
  const reached = latest.usedBytes + ((latest.capacityBytes - latest.usedBytes) * ahead) / secondsToFull;
  return {
    at: [...at, last + ahead],
    used: [...used, null],
    capacity: [...capacity, latest.capacityBytes],
    projected: [...at.slice(0, -1).map(() => null), latest.usedBytes, reached],
    ...(secondsToFull <= horizon && { fullAt: last + secondsToFull }),
  };
}
