/**
 * Runs a story twice: undisturbed, and with faults. It has to come to the same end, nothing forbidden may happen on the way, and not
 * many more writes may be made. What fails is made as short as it can be, and told with its seed.
 */
import { theEndIsTheSame, theWriteBudgetIsKept, type WriteBudget } from '../../../test/invariants/any-job.ts';
import type { Random } from '../../kit/backoff.ts';
import type { Log } from '../../kit/observe/log.ts';
import { seeded } from '../seeded.ts';
import { type Calls, drawFaults, type Fault, type FaultMix, inWords } from './fault.ts';
import { shrunk } from './shrink.ts';
import { type JobProcesses, Simulation } from './simulation.ts';

/** What somebody does at some time. */
export interface Step {
  readonly ms: number;
  readonly what: string;
  readonly act: () => void;
}

/** Something that the world does to a job behind its back, such as a volume that is deleted and made anew with the same name. */
export interface Change {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** What there is in one simulation, what people do there, and what has to come of it. */
export interface Stage {
  readonly jobs: readonly JobProcesses[];
  /** From chance alone: in every simulation of the same seed they are the same. */
  steps(random: Random): readonly Step[];
  /** From chance alone, too: those that are asked for happen beside the steps. */
  changes?(random: Random): readonly Change[];
  /** What has to be the same, whatever went wrong: no uid, version or time. */
  outcome(): unknown;
  /** What is wrong at the end, in sentences. */
  wrong(): readonly string[];
}

export interface Story {
  readonly name: string;
  /** Puts what there is at the beginning into the simulation; also watches that nothing forbidden happens. */
  readonly stage: (simulation: Simulation) => Stage;
  /** The last step is done by then. */
  readonly storyMs: number;
  /** So long passes after that before the end is looked at. */
  readonly settleMs: number;
  readonly writes?: WriteBudget;
}

export interface SimulateOptions {
  readonly seed: number;
  readonly story: Story;
  /** The names of the changes that the world goes through; none without it. */
  readonly world?: readonly string[];
  /** Those to put in; without them, up to so many are drawn from the seed. */
  readonly faults?: readonly Fault[];
  readonly most?: number;
  readonly log?: Log;
}

export interface Verdict {
  readonly seed: number;
  readonly world: readonly string[];
  readonly faults: readonly Fault[];
  /** Those that something has met. */
  readonly struck: readonly Fault[];
  readonly steps: readonly Step[];
  /** Why it is wrong; nothing when all is well. */
  readonly wrong: readonly string[];
  readonly hash: string;
  readonly lines: readonly string[];
}

interface Plan {
  readonly seed: number;
  readonly story: Story;
  readonly world: readonly string[];
  readonly faults: readonly Fault[];
  /** Which of the steps are done, by their number; all of them without it. */
  readonly only?: readonly number[];
  readonly log?: Log | undefined;
}

/** A simulation that has come to its end. */
interface Played {
  readonly simulation: Simulation;
  readonly stage: Stage;
  readonly steps: readonly Step[];
}

const DEFAULT_WRITES: WriteBudget = { times: 4, more: 40 };

export async function simulate({ most = 6, faults: chosen, ...options }: SimulateOptions): Promise<Verdict> {
  const rehearsal = await Rehearsal.of(options);
  return rehearsal.verdictOn(chosen ?? drawFaults(seeded(options.seed ^ 0xfa017), { ...rehearsal.mix, most }));
}

/** A story as it goes when nothing goes wrong: what calls there are, and what every other run of the same seed is measured by. */
export class Rehearsal {
  readonly #plan: Plan;
  readonly #played: Played;

  private constructor(plan: Plan, played: Played) {
    this.#plan = plan;
    this.#played = played;
  }

  static async of({ world = [], ...options }: Omit<SimulateOptions, 'faults' | 'most'>): Promise<Rehearsal> {
    const plan = { ...options, world, faults: [] };
    return new Rehearsal(plan, await play(plan));
  }

  get jobs(): readonly string[] {
    return this.#played.stage.jobs.map(({ job }) => job.name);
  }

  /** The jobs of which one process leads. */
  get elected(): readonly string[] {
    return this.#played.stage.jobs.flatMap(({ job }) => (job.election ? [job.name] : []));
  }

  get calls(): Calls {
    return this.#played.simulation.calls;
  }

  get watches(): Calls {
    return this.#played.simulation.watches;
  }

  /** What faults can be drawn from. */
  get mix(): FaultMix {
    const { jobs, calls, watches } = this;
    return { jobs, calls, watches, untilMs: this.#plan.story.storyMs };
  }

  verdictOn(faults: readonly Fault[]): Promise<Verdict> {
    return judge({ ...this.#plan, faults }, this.#played);
  }
}

/** What the world of a story can go through. */
export function changesOf(story: Story, seed = 1): readonly string[] {
  const stage = story.stage(new Simulation({ seed, faults: [] }));
  return stage.changes?.(seeded(seed)).map(({ name }) => name) ?? [];
}

/**
 * The same failure with as few faults and steps as it takes. Steps are only left out while all is well without the faults: a story
 * in which nobody does anything may well come to a wrong end, and is another failure.
 */
export async function shrink(failed: Verdict, story: Story, most = 200): Promise<Verdict> {
  const { seed, world } = failed;
  const rehearse = (only: readonly number[]) => play({ seed, world, story, faults: [], only });
  const verdictOn = (faults: readonly Fault[], only: readonly number[], undisturbed: Played) =>
    judge({ seed, world, story, faults, only }, undisturbed);
  const everything = [...failed.steps.keys()];
  const whole = await rehearse(everything);
  if (wrongIn(whole).length > 0) return verdictOn([], everything, whole);
  const faults = await shrunk(
    failed.faults,
    async (fewer) => isTheSameFailure(await verdictOn(fewer, everything, whole), failed),
    most,
  );
  const steps = await shrunk(
    everything,
    async (fewer) => {
      const undisturbed = await rehearse(fewer);
      return wrongIn(undisturbed).length === 0 && isTheSameFailure(await verdictOn(faults, fewer, undisturbed), failed);
    },
    most,
  );
  const undisturbed = await rehearse(steps);
  /** Those that only changed what others do are not needed when nobody else does anything. */
  const fewest = await shrunk(
    faults,
    async (fewer) => isTheSameFailure(await verdictOn(fewer, steps, undisturbed), failed),
    most,
  );
  return verdictOn(fewest, steps, undisturbed);
}

const wrongIn = ({ simulation, stage }: Played): readonly string[] => [...simulation.violations, ...stage.wrong()];

const isTheSameFailure = ({ wrong }: Verdict, failed: Verdict): boolean => {
  const gists = failed.wrong.map(gistOf);
  return wrong.some((sentence) => gists.includes(gistOf(sentence)));
};

/** With fewer steps, what is counted and what is shown differs: what is said of it has to be the same. */
const gistOf = (sentence: string): string => sentence.replace(/[{[("].*/s, '').replaceAll(/\d+/g, '#');

/** For people: what went wrong, what it took, and how to see it again. */
export function report(verdict: Verdict, story: Story): string {
  const { seed, faults, steps, wrong, lines } = verdict;
  return [
    `${story.name} failed with seed ${seed}: ${wrong.join('; ')}`,
    `see it again: ${replayOf(verdict, story)}`,
    `what it takes:`,
    ...faults.map((fault) => `  ${inWords(fault)}`),
    ...steps.map(({ ms, what }) => `  after ${ms / 1000} s: ${what}`),
    'what happened:',
    ...lines.slice(-60).map((line) => `  ${line}`),
  ].join('\n');
}

/** The command that plays it again, with all the steps of its seed. */
export function replayOf(
  { seed, world, faults }: Pick<Verdict, 'seed' | 'world' | 'faults'>,
  story: Pick<Story, 'name'>,
): string {
  const changes = world.map((name) => `--world '${name}'`);
  const troubles = faults.length === 0 ? ['--faults 0'] : faults.map((fault) => `--fault '${inWords(fault)}'`);
  const what = story.name.includes(',') ? '--jobs' : '--story';
  return [`holdfast simulate ${what} ${story.name} --seed ${seed}`, ...changes, ...troubles].join(' ');
}

async function judge(plan: Plan, undisturbed: Played): Promise<Verdict> {
  const { seed, world, faults, story } = plan;
  const played = faults.length === 0 ? undisturbed : await play(plan);
  const { simulation, steps } = played;
  const { hash, lines } = simulation.history;
  const wrong = [...wrongIn(played), ...differences(played, undisturbed, story)];
  return { seed, world, faults, struck: simulation.struck, steps, wrong, hash, lines };
}

async function play({ seed, story, world, faults, only, log }: Plan): Promise<Played> {
  const simulation = new Simulation({ seed, faults, ...(log && { log }) });
  const stage = story.stage(simulation);
  const all = [...stage.steps(seeded(seed ^ 0x57e95)), ...changed(stage, seed, world)];
  const steps = only ? all.filter((_, index) => only.includes(index)) : all;
  simulation.start(stage.jobs);
  for (const { ms, what, act } of steps.toSorted((a, b) => a.ms - b.ms)) {
    await simulation.pass(ms - simulation.clock.monotonic());
    simulation.history.note(`somebody: ${what}`);
    act();
  }
  await simulation.pass(story.storyMs - simulation.clock.monotonic() + story.settleMs);
  return { simulation, stage, steps };
}

function changed(stage: Stage, seed: number, world: readonly string[]): readonly Step[] {
  const known = stage.changes?.(seeded(seed ^ 0xc4a96e)) ?? [];
  return world.flatMap((name) => {
    const change = known.find((each) => each.name === name);
    if (!change) throw new Error(`there is no change ${name}, only ${known.map((each) => each.name).join(', ')}`);
    return change.steps;
  });
}

function differences(played: Played, undisturbed: Played, story: Story): readonly string[] {
  return [
    ...theEndIsTheSame(played.stage.outcome(), undisturbed.stage.outcome()),
    ...theWriteBudgetIsKept(played.simulation.writes, undisturbed.simulation.writes, story.writes ?? DEFAULT_WRITES),
  ];
}
