/** The stories of several jobs in one cluster: each meets what the others do, and all of them come to the ends that they come to alone. */
import { controllers } from '../../controllers.ts';
import type { Random } from '../../kit/backoff.ts';
import { accountOf, grantTogether } from '../../sandbox/rights.ts';
import { seeded } from '../../sandbox/seeded.ts';
import type { Change, Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import { inOneProcess } from '../together/in-one-process.ts';

const BUDGET = { times: 4, more: 100 };

/** In which processes the jobs are done that a cluster has once: each in its own, as the chart runs them, or as by `holdfast controller`. */
type Processes = 'their own' | 'one';

export const together = (name: string, stories: readonly Story[], processes: Processes): Story => ({
  name,
  stage: (simulation) => new SharedStage(simulation, stories, processes),
  storyMs: Math.max(...stories.map(({ storyMs }) => storyMs)),
  settleMs: Math.max(...stories.map(({ settleMs }) => settleMs)),
  writes: BUDGET,
});

class SharedStage implements Stage {
  readonly jobs: readonly JobProcesses[];
  readonly #stages: readonly (readonly [string, Stage])[];

  constructor(simulation: Simulation, stories: readonly Story[], processes: Processes) {
    this.#stages = stories.map((story) => [story.name, story.stage(simulation)]);
    const jobs = this.#stages.flatMap(([, stage]) => stage.jobs);
    this.jobs = processes === 'one' ? withController(jobs, simulation, stories) : jobs;
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

/** Those that elect a leader in the first cluster have one leader, one set of caches, and the rights of all. */
function withController(
  jobs: readonly JobProcesses[],
  { site: first, objects }: Simulation,
  stories: readonly Story[],
): readonly JobProcesses[] {
  const [apart, shared] = [
    jobs.filter(({ job, site = first }) => !job.election || site !== first),
    jobs.filter(({ job, site = first }) => job.election && site === first),
  ];
  const specs = controllers.filter(
    ({ name, runs }) => runs === 'cluster' && stories.some((story) => story.name === name),
  );
  grantTogether(objects, 'controller', specs);
  const setUp = inOneProcess(shared.map(({ job }) => job.setUp));
  return [
    { job: { name: 'controller', election: true, setUp }, processes: 2, user: accountOf('controller') },
    ...apart,
  ];
}
