/** What the campaign tries: every fault at every call site of every story, crashes around all that changes something, a world that changes, and chance. */
import type { Random } from '../../src/kit/backoff.ts';
import { seeded } from '../../src/sandbox/seeded.ts';
import { crashesAt, faultsAt } from '../../src/sandbox/simulate/call-faults.ts';
import {
  ANY,
  type CallFault,
  type Calls,
  drawExactly,
  type Fault,
  JUMPS_MS,
  type TimeFault,
  WATCH_FAULTS,
  type WatchFault,
} from '../../src/sandbox/simulate/fault.ts';
import { changesOf, Rehearsal, replayOf, type Story } from '../../src/sandbox/simulate/simulate.ts';

export const PARTS = ['crashes', 'calls', 'watches', 'times', 'world', 'pairs and triples'] as const;

/** One run: what is different from the undisturbed one of the same seed and world. */
export interface Case {
  readonly part: (typeof PARTS)[number];
  readonly story: string;
  readonly seed: number;
  readonly world: readonly string[];
  readonly faults: readonly Fault[];
}

export interface Size {
  /** At how many of the calls of one site each fault is tried. */
  readonly each: number;
  /** How many runs with faults that chance has chosen. */
  readonly random: number;
  /** With how many seeds each change of the world is tried, undisturbed and with one to three faults. */
  readonly worlds: number;
}

export const SIZES: Readonly<Record<string, Size>> = {
  small: { each: 1, random: 20, worlds: 1 },
  medium: { each: 3, random: 200, worlds: 3 },
  large: { each: 20, random: 2_000, worlds: 20 },
  all: { each: Number.POSITIVE_INFINITY, random: 10_000, worlds: 100 },
};

const PAUSES_MS = [20_000, 60_000];
const MOMENTS = [0.1, 0.5, 0.9];

/** All of one story, for as many as the size asks for. */
export async function casesOf(story: Story, seed: number, size: Size): Promise<readonly Case[]> {
  const rehearsal = await Rehearsal.of({ seed, story });
  const at = { story: story.name, seed, world: [] };
  const random = seeded(seed ^ 0xca3e);
  return [
    ...atCalls(rehearsal, size, crashesAt).map((faults) => ({ ...at, part: 'crashes' as const, faults })),
    ...atCalls(rehearsal, size, faultsAt).map((faults) => ({ ...at, part: 'calls' as const, faults })),
    ...atWatches(rehearsal, size).map((faults) => ({ ...at, part: 'watches' as const, faults })),
    ...atTimes(rehearsal, story).map((faults) => ({ ...at, part: 'times' as const, faults })),
    ...inChangedWorlds(rehearsal, story, { random, first: seed, worlds: size.worlds }).map((each) => ({
      ...at,
      part: 'world' as const,
      ...each,
    })),
    ...Array.from({ length: size.random }, () => ({
      ...at,
      part: 'pairs and triples' as const,
      faults: drawExactly(random, rehearsal.mix, 2 + Math.floor(random() * 2)),
    })),
  ];
}

/** The command that plays it again. */
export const replayOfCase = ({ story: name, ...each }: Case): string => replayOf(each, { name });

/** So many of them as evenly as can be, the first and the last among them. */
export function spread(count: number, most: number): readonly number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index + 1);
  if (most === 1) return [1];
  return Array.from({ length: most }, (_, index) => 1 + Math.round((index * (count - 1)) / (most - 1)));
}

function sitesOf(jobs: readonly string[], made: Calls) {
  return jobs.flatMap((job) =>
    [...made.of(job)].filter(([call]) => call !== ANY).map(([call, count]) => ({ job, call, count })),
  );
}

function atCalls(
  { jobs, calls }: Rehearsal,
  { each }: Size,
  kindsAt: (call: string) => readonly CallFault[],
): readonly (readonly Fault[])[] {
  return sitesOf(jobs, calls).flatMap(({ job, call, count }) =>
    spread(count, each).flatMap((nth) => kindsAt(call).map((kind): Fault[] => [{ at: 'call', job, call, nth, kind }])),
  );
}

function atWatches({ jobs, watches }: Rehearsal, { each }: Size): readonly (readonly Fault[])[] {
  return sitesOf(jobs, watches).flatMap(({ job, call, count }) =>
    spread(count, each).flatMap((nth) =>
      WATCH_FAULTS.map((kind: WatchFault): Fault[] => [{ at: 'watch', job, call, nth, kind }]),
    ),
  );
}

/** A leader that is paused, one beside whom there is another, and a clock that is set. */
function atTimes({ jobs, elected }: Rehearsal, { storyMs }: Story): readonly (readonly Fault[])[] {
  const kinds: readonly TimeFault[] = [
    ...PAUSES_MS.map((forMs) => ({ kind: 'pause', forMs }) as const),
    ...JUMPS_MS.map((byMs) => ({ kind: 'jump', byMs }) as const),
  ];
  const of = (job: string) => [...kinds, ...(elected.includes(job) ? [{ kind: 'lease' } as const] : [])];
  return jobs.flatMap((job) =>
    MOMENTS.flatMap((moment) =>
      of(job).map((kind): Fault[] => [{ at: 'time', job, ms: Math.floor(moment * storyMs), ...kind }]),
    ),
  );
}

/** Each change alone, and with faults; and two of them at once. From the first seed on. */
function inChangedWorlds(
  { mix }: Rehearsal,
  story: Story,
  { random, first, worlds }: { readonly random: Random; readonly first: number; readonly worlds: number },
): readonly Pick<Case, 'seed' | 'world' | 'faults'>[] {
  const changes = changesOf(story);
  const pick = () => changes[Math.floor(random() * changes.length)] ?? '';
  return Array.from({ length: worlds }, (_, index) => first + index).flatMap((seed) =>
    changes.flatMap((change) => [
      { seed, world: [change], faults: [] },
      { seed, world: [change], faults: drawExactly(random, mix, 1 + Math.floor(random() * 3)) },
      { seed, world: compatible(change, pick()), faults: drawExactly(random, mix, 1) },
    ]),
  );
}

/** Two changes that are made to the same volume cannot both be told what to come to. */
function compatible(one: string, other: string): readonly string[] {
  const isOfVolume = (change: string) => /volume|claim/.test(change);
  return one === other || (isOfVolume(one) && isOfVolume(other)) ? [one] : [one, other];
}
