/** What a sync has done, as marks on lanes of time. */
import type { SyncMoment } from '../../src/console/model.ts';
import { clamp } from '../words/numbers.ts';

export interface Mark {
  readonly moment: SyncMoment;
  /** From 0, the left edge, to 1, now. */
  readonly x: number;
}

export interface Lane {
  readonly title: string;
  readonly marks: readonly Mark[];
}

const LANES = [
  ['Exports', ['export', 'deposed']],
  ['Restores', ['restore', 'refused']],
  ['Drills', ['drill']],
] as const;

/** The data make the scale, but what is seconds old would creep as one looks. */
const SHORTEST_MS = 60_000;

export function beginOf(timeline: readonly SyncMoment[], now: number): number {
  const first = Date.parse(timeline[0]?.at ?? '');
  return Math.min(Number.isNaN(first) ? now : first, now - SHORTEST_MS);
}

/** Lanes with nothing on them are left out. */
export function lanesOf(timeline: readonly SyncMoment[], now: number): readonly Lane[] {
  const begin = beginOf(timeline, now);
  const mark = (moment: SyncMoment): Mark => ({
    moment,
    x: clamp((Date.parse(moment.at) - begin) / (now - begin), 0, 1),
  });
  return LANES.map(([title, kinds]) => ({
    title,
    marks: timeline.filter(({ kind }) => kinds.some((each) => each === kind)).map(mark),
  })).filter(({ marks }) => marks.length > 0);
}
