/** The stories of several jobs in one cluster: each meets what the others do, and all of them come to the ends that they come to alone. */
import type { Random } from '../../kit/backoff.ts';
import { seeded } from '../../sandbox/seeded.ts';
import type { Change, Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';

const BUDGET = { times: 4, more: 100 };

export const together = (name: string, stories: readonly Story[]): Story => ({
  name,
  stage: (simulation) => new SharedStage(simulation, stories),
  storyMs: Math.max(...stories.map(({ storyMs }) => storyMs)),
  settleMs: Math.max(...stories.map(({ settleMs }) => settleMs)),
  writes: BUDGET,
});

class SharedStage implements Stage {
  readonly jobs: readonly JobProcesses[];
  readonly #stages: readonly (readonly [string, Stage])[];

  constructor(simulation: Simulation, stories: readonly Story[]) {
    this.#stages = stories.map((story) => [story.name, story.stage(simulation)]);
    this.jobs = this.#stages.flatMap(([, { jobs }]) => jobs);
  }

  /** Each as if it were alone: what one does does not change what another does. */
  steps(random: Random): readonly Step[] {
    return this.#each(random, (stage, own) => stage.steps(own));
  }

  changes(random: Random): readonly Change[] {
    const named = (name: string, changes: readonly Change[]) =>
      changes.map((change) => ({ ...change, name: `${name}: ${change.name}` }));
    return this.#each(random, (stage, own, name) => named(name, stage.changes?.(own) ?? []));
  }

  outcome(): unknown {
    return Object.fromEntries(this.#stages.map(([name, stage]) => [name, stage.outcome()]));
  }

  wrong(): readonly string[] {
    return this.#stages.flatMap(([name, stage]) => stage.wrong().map((each) => `${name}: ${each}`));
  }

  #each<T>(random: Random, from: (stage: Stage, random: Random, name: string) => readonly T[]): readonly T[] {
    return this.#stages.flatMap(([name, stage]) => from(stage, seeded(Math.floor(random() * 2 ** 31)), name));
  }
}
