/** Makes rows out of the runs of contenders. */
import type { Figures, Runs } from './figures.ts';
import type { Row, Target } from './row.ts';

/** Something that is measured of every phase. */
export interface Quantity {
  readonly name: string;
  readonly unit: string;
  readonly of: (figures: Figures) => number;
}

export const CPU: Quantity = { name: 'CPU time', unit: 's', of: ({ cpuSeconds }) => cpuSeconds };
export const WALL: Quantity = { name: 'time on the wall', unit: 's', of: ({ wallSeconds }) => wallSeconds };
export const STALL: Quantity = { name: 'longest stall', unit: 'ms', of: ({ stallMs }) => stallMs };
export const PEAK: Quantity = { name: 'peak memory', unit: 'MB', of: ({ peakMb }) => peakMb };
export const SETTLED: Quantity = { name: 'memory after', unit: 'MB', of: ({ settledMb }) => settledMb };

export const counted = (name: string): Quantity => ({
  name,
  unit: '',
  of: ({ counts }) => counts[name] ?? Number.NaN,
});

/** The same quantity for each of so many things. */
export const perItem = ({ name, of }: Quantity, item: string, items: number): Quantity => ({
  name: `${name} per ${item}`,
  unit: 'µs',
  of: (figures) => (of(figures) / items) * 1e6,
});

export interface Contest {
  readonly what: string;
  readonly phase: string;
  readonly limit?: Runs;
  readonly ours: Runs;
  readonly published?: Runs;
}

export function compare(contest: Contest, { name, unit, of }: Quantity, target?: Target): Row {
  const { what, phase, limit, ours, published } = contest;
  return {
    what,
    figure: name,
    unit,
    ...(limit && { limit: limit.median(phase, of) }),
    ours: ours.median(phase, of),
    ...(published && { published: published.median(phase, of) }),
    ...(limit && { ratio: ours.ratio(limit, phase, of) }),
    ...(target && { target }),
  };
}
