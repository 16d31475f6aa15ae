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

  /** The same runs with one phase more, which stands for several in a row: times add up, and of the rest the most counts. */
  joining(name: string, phases: readonly string[]): Runs {
    return new Runs(
      this.#rounds.map((run) => ({ ...run, [name]: joined(phases.map((phase) => figuresOf(run, phase))) })),
    );
  }

  #values(phase: string, pick: Pick): readonly number[] {
    return this.#rounds.map((run) => pick(figuresOf(run, phase)));
  }
}

function figuresOf(run: Run, phase: string): Figures {
  const figures = run[phase];
  if (!figures) throw new Error(`a contender has no phase "${phase}": it has ${Object.keys(run).join(', ')}`);
  return figures;
}

function joined(phases: readonly Figures[]): Figures {
  const sum = (pick: Pick) => phases.map(pick).reduce((all, each) => all + each, 0);
  const most = (pick: Pick) => Math.max(...phases.map(pick));
  return {
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    wallSeconds: sum(({ wallSeconds }) => wallSeconds),
    stallMs: most(({ stallMs }) => stallMs),
    wallStallMs: most(({ wallStallMs }) => wallStallMs),
    peakMb: most(({ peakMb }) => peakMb),
    settledMb: phases.at(-1)?.settledMb ?? Number.NaN,
    counts: Object.assign({}, ...phases.map(({ counts }) => counts)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
