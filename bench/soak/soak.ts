/** All five jobs on real clusters for a while, with nothing that grows, nothing that is missed, and no failure without a reason. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chart, type Panel } from '../measure/chart.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { notMeasured } from '../measure/not-measured.ts';
import type { Row } from '../measure/row.ts';
import { type Disruption, failuresOutside, linesOutside } from './budget.ts';
import type { Churn } from './churn/churn.ts';
import { Disruptions } from './disruptions.ts';
import { growth } from './growth.ts';
import type { Sample } from './sample.ts';
import { startSites } from './sites.ts';
import { Watched } from './watched.ts';

/** Of all looks at something, how many may fail without a reason: somebody else may write to the same object at the same moment. */
const BUDGET_PERCENT = 1;
const SHOWN = 5;

export const soak: Benchmark = {
  name: 'churn',
  about:
    'runs all five jobs on two real control planes with a real S3 server between them: `holdfast controller` with topology, pool and sync, `holdfast ' +
    'sync` in the recovery cluster, real storage agents, `holdfast devices` on real loop devices, and `holdfast lvm` on real LVM in a guest of ' +
    'User-Mode Linux; devices and lvm under the rights and policies that they are shipped with, the others with every right. Meanwhile volumes with claims and pods come and go, ' +
    'blobs are stored, read and removed while the pool grows and shrinks, disks are claimed, written to, released and wiped, and logical volumes are declared, ' +
    'grown and deleted; API servers are killed and come back, and histories are compacted. Each process is looked at every 5 s. What it holds in the second half of its time ' +
    'may be a tenth more than in the first, and a little for what comes and goes: of descriptors, handles and sockets the median, of resident memory what nine of ten looks do not exceed, of heap and external memory ' +
    'what is left when garbage has just been collected, which is the lowest tenth. At the end everything has to be as it was asked for. A failure counts unless ' +
    'it was during a disruption or within 45 s afterwards; that a guard refused, and looked again, is counted by itself. Measured once, whatever the rounds.',
  async run(bench) {
    if (process.getuid?.() !== 0) return [notMeasured('soak', 'loop devices and guests take root', bench)];
    await using sites = await startSites(bench.progress);
    const beganAt = Date.now();
    const watched = sites.processes.map((process) => new Watched(process, beganAt));
    const disruptions = new Disruptions(sites.here, sites.there, beganAt);
    const over = new AbortController();
    const users = sites.churns.map((churn) => new User(churn));
    bench.progress(`  all is there: ${bench.minutes} minutes begin`);
    const running = Promise.all([
      ...watched.map((each) => each.watch(over.signal)),
      ...users.map((user) => user.use(over.signal)),
      disruptions.run(bench.minutes, bench.progress, over.signal),
      reported(users, watched, bench, over.signal),
    ]);
    await sleep(bench.minutes * 60_000);
    over.abort();
    await running;
    bench.progress('  time is up: looking at what is there');
    await Promise.all(users.map((user) => user.audit()));
    bench.draw('soak.svg', chart(panelsOf(watched, disruptions.done), 3));
    const rows = await Promise.all(watched.map((each) => rowsOf(each, disruptions.done, bench)));
    return [lengthRow(bench, disruptions.done), ...users.flatMap((user) => user.rows(bench)), ...rows.flat()];
  },
};

class User {
  readonly #churn: Churn;
  readonly #wrongs: string[] = [];
  rounds = 0;

  constructor(churn: Churn) {
    this.#churn = churn;
  }

  get name(): string {
    return this.#churn.name;
  }

  async use(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.#churn.round().then(
        () => this.rounds++,
        (error: Error) => this.#wrongs.push(error.message),
      );
      await sleep(this.#churn.pauseMs, undefined, { signal: over }).catch(() => undefined);
    }
  }

  async audit(): Promise<void> {
    this.#wrongs.push(...(await this.#churn.audit()));
  }

  rows({ progress }: Bench): readonly Row[] {
    const what = `who uses ${this.name}`;
    for (const wrong of this.#wrongs.slice(0, SHOWN)) progress(`  ${what}: ${wrong}`);
    return [
      { what, figure: 'rounds of changes', unit: '', ours: this.rounds },
      { what, figure: 'what was missed or is wrong at the end', unit: '', ours: this.#wrongs.length, target: NONE },
    ];
  }
}

const NONE = { oursAtMost: 0 };

async function reported(
  users: readonly User[],
  watched: readonly Watched[],
  bench: Bench,
  over: AbortSignal,
): Promise<void> {
  for (let minute = 1; !over.aborted; minute++) {
    await sleep(60_000, undefined, { signal: over }).catch(() => undefined);
    const rounds = users.map(({ name, rounds: count }) => `${name} ${count}`).join(', ');
    const memory = watched.map(({ samples }) => Math.round(samples.at(-1)?.residentMb ?? Number.NaN)).join(' ');
    bench.progress(`  minute ${minute}: rounds: ${rounds}; resident: ${memory} MB`);
  }
}

const lengthRow = ({ minutes }: Bench, disruptions: readonly Disruption[]): Row => ({
  what: `${minutes} minutes`,
  figure: 'disruptions',
  unit: '',
  ours: disruptions.length,
});

async function rowsOf(
  watched: Watched,
  disruptions: readonly Disruption[],
  { progress }: Bench,
): Promise<readonly Row[]> {
  const { name: what, samples } = watched;
  const log = await watched.log();
  const [errors, warnings] = ['error', 'warn'].map((level) => linesOutside(log, level, disruptions));
  for (const { text } of [...(errors ?? []), ...(warnings ?? [])].slice(0, SHOWN)) progress(`  ${what}: ${text}`);
  return [
    { what, figure: 'times ended by itself', unit: '', ours: await watched.endings(), target: NONE },
    ...growth(what, samples),
    ...(watched.hasControllers ? looksOf(what, samples, disruptions) : []),
    { what, figure: 'errors in the log, outside of disruptions', unit: '', ours: errors?.length ?? 0, target: NONE },
    { what, figure: 'warnings in the log, outside of disruptions', unit: '', ours: warnings?.length ?? 0 },
  ];
}

/** Who has looked at nothing has not shown that nothing fails. A guard that refuses has not failed: it looks again, and in the end everything has to be done. */
export function looksOf(what: string, samples: readonly Sample[], disruptions: readonly Disruption[]): readonly Row[] {
  const { reconciles, failures, refusals } = failuresOutside(samples, disruptions);
  const budget = { oursAtMost: (reconciles * BUDGET_PERCENT) / 100 };
  return [
    {
      what,
      figure: 'looks at something, outside of disruptions',
      unit: '',
      ours: reconciles,
      target: { oursAtLeast: 1 },
    },
    { what, figure: 'of these, refused by a guard and looked at again', unit: '', ours: refusals },
    { what, figure: 'of these, failed', unit: '', ours: failures, target: budget },
  ];
}

/** Above what each process holds, below what it has open. */
function panelsOf(watched: readonly Watched[], disruptions: readonly Disruption[]): readonly Panel[] {
  const marks = disruptions.map(({ from }) => from / 60);
  const x = { name: 'minutes' };
  const series = (samples: readonly Sample[], name: string, of: (sample: Sample) => number) => ({
    name,
    points: samples.map((sample) => ({ x: sample.at / 60, y: of(sample) })),
  });
  const memory = watched.map(
    ({ name, samples }): Panel => ({
      title: name,
      x,
      y: { name: 'MB' },
      marks,
      series: [
        series(samples, 'resident', ({ residentMb }) => residentMb),
        series(samples, 'heap in use', ({ heapMb }) => heapMb),
        series(samples, 'external', ({ externalMb }) => externalMb),
      ],
    }),
  );
  const open = watched.map(
    ({ name, samples }): Panel => ({
      title: name,
      x,
      y: { name: 'open' },
      marks,
      series: [
        series(samples, 'descriptors', ({ descriptors }) => descriptors),
        series(samples, 'handles', ({ handles }) => handles),
        series(samples, 'sockets', ({ sockets }) => sockets),
      ],
    }),
  );
  return [...memory, ...open];
}
