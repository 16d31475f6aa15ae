/**
 * Runs a story twice: undisturbed, and with faults. It has to come to the same end, nothing forbidden may happen on the way, and not
 * many more writes may be made. What fails is made as short as it can be, and told with its seed.
 */
import type { Random } from '../../kit/backoff.ts';
import type { Log } from '../../kit/observe/log.ts';
import { seeded } from '../seeded.ts';
import { drawFaults, type Fault, inWords } from './fault.ts';
import { shrunk } from './shrink.ts';
import { type JobProcesses, Simulation } from './simulation.ts';

/** What somebody does at some time. */
export interface Step {
  readonly ms: number;
  readonly what: string;
  readonly act: () => void;
}

/** What there is in one simulation, what people do there, and what has to come of it. */
export interface Stage {
  readonly jobs: readonly JobProcesses[];
  /** From chance alone: in every simulation of the same seed they are the same. */
  steps(random: Random): readonly Step[];
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
  /** So many times more writes than undisturbed, and so many more. */
  readonly writes?: { readonly times: number; readonly more: number };
}

export interface SimulateOptions {
  readonly seed: number;
  readonly story: Story;
  /** Those to put in; without them, up to so many are drawn from the seed. */
  readonly faults?: readonly Fault[];
  readonly most?: number;
  readonly log?: Log;
}

export interface Verdict {
  readonly seed: number;
  /** How many faults could have been drawn. */
  readonly most: number;
  readonly faults: readonly Fault[];
  readonly steps: readonly Step[];
  /** Why it is wrong; nothing when all is well. */
  readonly wrong: readonly string[];
  readonly hash: string;
  readonly lines: readonly string[];
}

interface Plan {
  readonly seed: number;
  readonly most: number;
  readonly story: Story;
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

const DEFAULT_WRITES = { times: 4, more: 40 };

export async function simulate({ seed, story, most = 6, faults: chosen, log }: SimulateOptions): Promise<Verdict> {
  const undisturbed = await play({ seed, most, story, faults: [], log });
  const { calls, watches } = undisturbed.simulation;
  const jobs = undisturbed.stage.jobs.map(({ job }) => job.name);
  const faults = chosen ?? drawFaults(seeded(seed ^ 0xfa017), { jobs, calls, watches, untilMs: story.storyMs, most });
  return judge({ seed, most, story, faults, log }, undisturbed);
}

/** The same failure with as few faults and steps as it takes. */
export async function shrink({ seed, most, faults: all, steps }: Verdict, story: Story): Promise<Verdict> {
  const verdictOn = async (faults: readonly Fault[], only: readonly number[]) =>
    judge({ seed, most, story, faults, only }, await play({ seed, most, story, faults: [], only }));
  const fails = async (faults: readonly Fault[], only: readonly number[]) =>
    (await verdictOn(faults, only)).wrong.length > 0;
  const everything = [...steps.keys()];
  const faults = await shrunk(all, (fewer) => fails(fewer, everything));
  return verdictOn(faults, await shrunk(everything, (fewer) => fails(faults, fewer)));
}

/** For people: what went wrong, what it took, and how to see it again. */
export function report({ seed, most, faults, steps, wrong, lines }: Verdict, story: Story): string {
  return [
    `${story.name} failed with seed ${seed}: ${wrong.join('; ')}`,
    `see it again: holdfast simulate --story ${story.name} --seed ${seed} --faults ${most}`,
    `what it takes:`,
    ...faults.map((fault) => `  ${inWords(fault)}`),
    ...steps.map(({ ms, what }) => `  after ${ms / 1000} s: ${what}`),
    'what happened:',
    ...lines.slice(-60).map((line) => `  ${line}`),
  ].join('\n');
}

async function judge(plan: Plan, undisturbed: Played): Promise<Verdict> {
  const { seed, most, faults, story } = plan;
  const played = faults.length === 0 ? undisturbed : await play(plan);
  const { simulation, stage, steps } = played;
  const { hash, lines } = simulation.history;
  const wrong = [...simulation.violations, ...stage.wrong(), ...differences(played, undisturbed, story)];
  return { seed, most, faults, steps, wrong, hash, lines };
}

async function play({ seed, story, faults, only, log }: Plan): Promise<Played> {
  const simulation = new Simulation({ seed, faults, ...(log && { log }) });
  const stage = story.stage(simulation);
  const all = stage.steps(seeded(seed ^ 0x57e95));
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

function differences(played: Played, undisturbed: Played, story: Story): readonly string[] {
  const [is, shouldBe] = [played, undisturbed].map(({ stage }) => JSON.stringify(stage.outcome()));
  const { times, more } = story.writes ?? DEFAULT_WRITES;
  const usual = undisturbed.simulation.writes;
  const tooMany = [...played.simulation.writes].filter(([job, count]) => count > times * (usual.get(job) ?? 0) + more);
  return [
    ...(is === shouldBe ? [] : [`the end is ${is}, and undisturbed it is ${shouldBe}`]),
    ...tooMany.map(([job, count]) => `${job} wrote ${count} times, undisturbed ${usual.get(job) ?? 0}`),
  ];
}
