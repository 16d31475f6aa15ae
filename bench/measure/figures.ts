/** What is measured of a piece of work, and the arithmetic on it. */

export interface Figures {
  /** User and system time of all threads of the process. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /**
   * The longest time for which the event loop's thread computed without coming around. It is taken in CPU time: that is how long
   * the loop would have stood still on a machine with nobody else on it.
   */
  readonly stallMs: number;
  /** The same by the clock on the wall, with all that the neighbours on the machine added. */
  readonly wallStallMs: number;
  /** The most memory that was resident at any moment of the work. */
  readonly peakMb: number;
  /** What was resident after the work, garbage collected. */
  readonly settledMb: number;
  /** What only this kind of work has: connections, bytes, events. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One run of a contender, by phase of its work. */
export type Run = Readonly<Record<string, Figures>>;

type Pick = (figures: Figures) => number;

/** All runs of a contender. A run is compared only with runs of the same round: what the machine did meanwhile they had in common. */
export class Runs {
  readonly #rounds: readonly Run[];

  constructor(rounds: readonly Run[]) {
    this.#rounds = rounds;
  }

  /** The median over the rounds. */
  median(phase: string, pick: Pick): number {
    return median(this.#values(phase, pick));
  }

  count(phase: string, name: string): number {
    return this.median(phase, ({ counts }) => counts[name] ?? Number.NaN);
  }

  /** How many times as much as the other, in the median over the rounds. */
  ratio(other: Runs, phase: string, pick: Pick): number {
    const theirs = other.#values(phase, pick);
    return median(this.#values(phase, pick).map((value, round) => value / (theirs[round] ?? Number.NaN)));
  }

  #values(phase: string, pick: Pick): readonly number[] {
    return this.#rounds.map((run) => {
      const figures = run[phase];
      if (!figures) throw new Error(`a contender has no phase "${phase}": it has ${Object.keys(run).join(', ')}`);
      return pick(figures);
    });
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
