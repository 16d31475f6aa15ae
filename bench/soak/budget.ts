/** What went wrong while nobody had given a reason for it. */
import type { Sample } from './sample.ts';

/** From when to when something was taken away, and a while longer, in seconds since the beginning. */
export interface Disruption {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

export interface LogLine {
  readonly level: string;
  /** Seconds since the beginning. */
  readonly at: number;
  readonly text: string;
}

/** Whoever waited for a server tries again after a pause, which may have grown. */
export const AFTERWARDS = 45;

/** How often something was looked at, and how often that failed although nothing had been taken away. */
export function failuresOutside(
  samples: readonly Sample[],
  disruptions: readonly Disruption[],
): Pick<Sample, 'reconciles' | 'failures' | 'refusals'> {
  const steps = samples.slice(1).map((later, index) => ({ before: samples[index] ?? later, later }));
  const quiet = steps.filter(({ before, later }) => !disruptions.some((each) => overlaps(each, before.at, later.at)));
  const sum = (of: (sample: Sample) => number) =>
    quiet.reduce((all, { before, later }) => all + of(later) - of(before), 0);
  return {
    reconciles: sum(({ reconciles }) => reconciles),
    failures: sum(({ failures }) => failures),
    refusals: sum(({ refusals }) => refusals),
  };
}

export const linesOutside = (
  lines: readonly LogLine[],
  level: string,
  disruptions: readonly Disruption[],
): readonly LogLine[] =>
  lines.filter((line) => line.level === level && !disruptions.some((each) => overlaps(each, line.at, line.at)));

const overlaps = ({ from, to }: Disruption, first: number, last: number): boolean =>
  first <= to + AFTERWARDS && last >= from;
