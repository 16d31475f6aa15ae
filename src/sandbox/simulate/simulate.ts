/**
 * Runs a story twice: undisturbed, and with faults. It has to come to the same end, nothing forbidden may happen on the way, and not
 * many more writes may be made. What fails is made as short as it can be, and told with its seed.
 */
import type { Log } from '../../kit/observe/log.ts';
import { seeded } from '../seeded.ts';
import { drawFaults, type Fault, inWords } from './fault.ts';
import { shrunk } from './shrink.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

/** What somebody does at some time. */
export interface Step {
  readonly ms: number;
  readonly what: string;
  readonly act: (simulation: Simulation) => void;
}

/** What there is, what people do, and what has to come of it. */
export interface Story {
  readonly name: string;
  readonly jobs: SimulationOptions['jobs'] | (() => SimulationOptions['jobs']);
  /** What is there at the beginning; also watches that nothing forbidden happens. */
  readonly begin: (simulation: Simulation) => void;
  /** From the seed alone. */
  readonly steps: (random: () => number) => readonly Step[];
  /** When the last step is done, and faults have ended, so long passes before the end is looked at. */
  readonly storyMs: number;
  readonly settleMs: number;
  /** What has to be the same, whatever went wrong: no uid, version or time. */
  readonly outcome: (simulation: Simulation) => unknown;
  /** What is wrong at the end, in sentences. */
  readonly faultsAtEnd?: (simulation: Simulation) => readonly string[];
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
  readonly faults: readonly Fault[];
  readonly steps: readonly Step[];
  /** Why it is wrong; nothing when all is well. */
  readonly wrong: readonly string[];
  readonly hash: string;
  readonly lines: readonly string[];
}

interface Plan {
  readonly seed: number;
  readonly story: Story;
  readonly faults: readonly Fault[];
  readonly steps: readonly Step[];
  readonly log?: Log;
}

const DEFAULT_WRITES = { times: 4, more: 40 };

export async function simulate({ seed, story, most = 6, ...options }: SimulateOptions): Promise<Verdict> {
  const steps = story.steps(seeded(seed ^ 0x57e95));
  const plan = { seed, story, steps, ...(options.log && { log: options.log }) };
  const undisturbed = await run({ ...plan, faults: [] });
  const names = jobsOf(story).map(({ job }) => job.name);
  const { calls, watches } = undisturbed;
  const mix = { jobs: names, calls, watches, untilMs: story.storyMs, most };
  const faults = options.faults ?? drawFaults(seeded(seed ^ 0xfa017), mix);
  return judge({ ...plan, faults }, undisturbed);
}

/** The same failure with as few faults and steps as it takes. */
export async function shrink(verdict: Verdict, story: Story): Promise<Verdict> {
  const { seed } = verdict;
  const failing = async (faults: readonly Fault[], steps: readonly Step[]) => {
    const undisturbed = await run({ seed, story, faults: [], steps });
    return (await judge({ seed, story, faults, steps }, undisturbed)).wrong.length > 0;
  };
  const faults = await shrunk(verdict.faults, (fewer) => failing(fewer, verdict.steps));
  const steps = await shrunk(verdict.steps, (fewer) => failing(faults, fewer));
  return judge({ seed, story, faults, steps }, await run({ seed, story, faults: [], steps }));
}

/** For people: what went wrong, what it took, and how to see it again. */
export function report({ seed, faults, steps, wrong, lines }: Verdict, story: Story): string {
  return [
    `${story.name} failed with seed ${seed}: ${wrong.join('; ')}`,
    `see it again: holdfast simulate --story ${story.name} --seed ${seed}`,
    `what it takes:`,
    ...faults.map((fault) => `  ${inWords(fault)}`),
    ...steps.map(({ ms, what }) => `  after ${ms / 1000} s: ${what}`),
    'what happened:',
    ...lines.slice(-60).map((line) => `  ${line}`),
  ].join('\n');
}

async function judge(plan: Plan, undisturbed: Simulation): Promise<Verdict> {
  const { seed, faults, steps, story } = plan;
  const simulation = faults.length === 0 ? undisturbed : await run(plan);
  const { hash, lines } = simulation.history;
  const wrong = [...wrongIn(simulation, story), ...differences(simulation, undisturbed, story)];
  return { seed, faults, steps, wrong, hash, lines };
}

async function run({ seed, story, faults, steps, log }: Plan): Promise<Simulation> {
  const simulation = new Simulation({ seed, faults, jobs: jobsOf(story), ...(log && { log }) });
  story.begin(simulation);
  simulation.start();
  for (const { ms, what, act } of steps.toSorted((a, b) => a.ms - b.ms)) {
    await simulation.pass(ms - simulation.clock.monotonic());
    simulation.history.note(`somebody: ${what}`);
    act(simulation);
  }
  await simulation.pass(story.storyMs - simulation.clock.monotonic() + story.settleMs);
  return simulation;
}

const jobsOf = ({ jobs }: Story): SimulationOptions['jobs'] => (typeof jobs === 'function' ? jobs() : jobs);

const wrongIn = (simulation: Simulation, story: Story): readonly string[] => [
  ...simulation.violations,
  ...(story.faultsAtEnd?.(simulation) ?? []),
];

function differences(simulation: Simulation, undisturbed: Simulation, story: Story): readonly string[] {
  const [is, shouldBe] = [simulation, undisturbed].map((each) => JSON.stringify(story.outcome(each)));
  const { times, more } = story.writes ?? DEFAULT_WRITES;
  const tooMany = [...simulation.writes].filter(
    ([job, count]) => count > times * (undisturbed.writes.get(job) ?? 0) + more,
  );
  return [
    ...(is === shouldBe ? [] : [`the end is ${is}, and undisturbed it is ${shouldBe}`]),
    ...tooMany.map(([job, count]) => `${job} wrote ${count} times, undisturbed ${undisturbed.writes.get(job) ?? 0}`),
  ];
}
