/** What each job takes at growing sizes of the cluster. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import { chart, type Panel, type Series } from '../measure/chart.ts';
import { runContender } from '../measure/contender.ts';
import type { Figures } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import type { Row } from '../measure/row.ts';
import { HEAR } from './heard.ts';
import { REQUESTS, WORK, WRITES } from './measured.ts';
import { Sandbox } from './sandbox.ts';
import { type SceneName, VOLUMES_OF_A_NODE } from './scenes.ts';

const SIZES = [1_000, 10_000, 100_000];
const QUICK_SIZES = [200, 1_000];
const CHANGES = 2_000;

interface Job {
  readonly name: string;
  readonly scene: SceneName;
  readonly module: string;
  readonly input?: object;
  /** An agent of one node among many; the others are in the cluster once. */
  readonly isOfANode?: boolean;
}

const sync = (name: string, scene: SceneName, mode: string): Job => ({
  name: `sync, ${name}`,
  scene,
  module: './contenders/sync.ts',
  input: { mode },
});

const TOPOLOGY: Job = { name: 'topology', scene: 'topology', module: './contenders/topology.ts' };
const EXPORTING = sync('exporting', 'protected', 'Protected');
const RESTORING = sync('restoring', 'recovery', 'Recovery');
const POOL: Job = { name: 'pool', scene: 'pool', module: './contenders/pool.ts' };
const DEVICES: Job = {
  name: 'devices, one agent',
  scene: 'devices',
  module: './contenders/devices.ts',
  isOfANode: true,
};
const LVM: Job = { name: 'lvm, one agent', scene: 'lvm', module: './contenders/lvm.ts', isOfANode: true };

interface Outcome {
  readonly job: Job;
  readonly size: number;
  readonly work: Figures;
  readonly hear?: Figures | undefined;
}

const ABOUT_ALL =
  'in a process of its own against a sandbox in another one, with the flags of Node.js that the bundle has, from its start until it has done what there is to do. There is a node for ' +
  'every 20 volumes: 5,000 at the largest size. CPU time is that of all threads of the job, memory is what is resident at the peak and after a collection of garbage, and requests ' +
  'are those that the job counts, watches included. The sandbox speaks HTTPS as an API server does; how long it takes to answer is not measured. Measured once, whatever the rounds.';

const curve = (name: string, about: string, jobs: readonly Job[]): Benchmark => ({
  name,
  about: `${about}, ${ABOUT_ALL}`,
  async run(bench) {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-scale-'));
    try {
      const outcomes: Outcome[] = [];
      for (const size of (bench.quick ? QUICK_SIZES : SIZES).filter((each) => each <= bench.largest)) {
        const store = join(directory, `${size}`);
        await mkdir(store);
        for (const job of jobs) outcomes.push(await outcomeOf(job, size, store, bench));
      }
      return jobs.flatMap((job) => rowsOf(outcomes.filter((outcome) => outcome.job === job)));
    } finally {
      await rm(directory, { recursive: true });
    }
  },
});

const HEARS = 'and then hears of 2,000 changes of volumes of other nodes';

export const curves: readonly Benchmark[] = [
  curve('topology', 'labels all volumes, each with a claim and a pod of 8 KB', [TOPOLOGY]),
  curve('sync', 'exports all volumes and claims into a directory, and restores them from it into an empty cluster', [
    EXPORTING,
    RESTORING,
  ]),
  curve('pool', 'makes pools of 20 agents, one volume each, whose StatefulSets and agents answer at once', [POOL]),
  curve('devices', `makes volumes of the 20 disks of one node, on a simulated machine, ${HEARS}`, [DEVICES]),
  curve('lvm', `makes and mounts the 20 logical volumes of one node, on a simulated machine, ${HEARS}`, [LVM]),
];

async function outcomeOf(job: Job, size: number, directory: string, { progress }: Bench): Promise<Outcome> {
  await using sandbox = await Sandbox.start(job.scene, size);
  const { [WORK]: work, [HEAR]: hear } = await runContender({
    module: import.meta.resolve(job.module),
    input: { access: sandbox.access, size, directory, ...job.input },
    nodeFlags: NODE_FLAGS,
    whenReady: async () => sandbox.change(CHANGES),
  });
  if (!work) throw new Error(`${job.name} measured nothing`);
  const { cpuSeconds, wallSeconds, peakMb, counts } = work;
  const figures = `${cpuSeconds.toFixed(1)} s CPU in ${wallSeconds.toFixed(0)} s, ${peakMb.toFixed(0)} MB, ${counts[REQUESTS]} requests`;
  const heard = hear ? `; ${CHANGES} changes elsewhere: ${hear.cpuSeconds.toFixed(2)} s CPU` : '';
  progress(`  ${size}: ${job.name}: ${figures}${heard}; the sandbox took ${sandbox.residentMb.toFixed(0)} MB`);
  return { job, size, work, hear };
}

/** What a volume costs may grow a little from one size to the next, as trees get deeper and garbage is collected more often. */
const HARDLY_MORE = { ratioAtMost: 1.5 };

function rowsOf(outcomes: readonly Outcome[]): readonly Row[] {
  return outcomes.flatMap((outcome, index) => {
    const { job, size, work, hear } = outcome;
    const { cpuSeconds, peakMb, settledMb, counts } = work;
    const row = (figure: string, unit: string, ours: number): Row => ({
      what: `${job.name}, ${inWords(size)}`,
      figure,
      unit,
      ours,
    });
    const writes = (counts[WRITES] ?? Number.NaN) / (job.isOfANode ? VOLUMES_OF_A_NODE : size);
    return [
      row('CPU time', 's', cpuSeconds),
      ...(job.isOfANode ? [] : [grown(row('CPU time per volume', 'µs', perVolume(outcome)), outcomes[index - 1])]),
      row('peak memory', 'MB', peakMb),
      row('memory after', 'MB', settledMb),
      row('requests', '', counts[REQUESTS] ?? Number.NaN),
      row(job.isOfANode ? 'writes per volume of its own' : 'writes per volume', '', writes),
      ...(hear ? [row(HEARD, 's', hear.cpuSeconds)] : []),
    ];
  });
}

const HEARD = `CPU time for ${CHANGES.toLocaleString('en')} changes on other nodes`;

const perVolume = ({ work, size }: Outcome): number => (work.cpuSeconds / size) * 1e6;

/** The limit is what it was at the size before. */
function grown(row: Row, before: Outcome | undefined): Row {
  if (!before) return row;
  const limit = perVolume(before);
  return { ...row, limit, ratio: row.ours / limit, target: HARDLY_MORE };
}

/** By powers of ten in both directions: a straight line that climbs as much as it goes is a cost for each volume. */
export function drawn(rows: readonly Row[]): string {
  const panel = (title: string, unit: string, figure: string, isLogarithmic = true): Panel => ({
    title,
    x: { name: 'volumes in the cluster', isLogarithmic: true },
    y: { name: unit, isLogarithmic },
    series: seriesOf(rows.filter((row) => row.figure === figure)),
  });
  return chart([
    panel('CPU time', 's', 'CPU time'),
    panel('Peak memory', 'MB', 'peak memory', false),
    panel('Requests to the API server', 'requests', 'requests'),
    panel(HEARD, 's', HEARD, false),
  ]);
}

function seriesOf(rows: readonly Row[]): readonly Series[] {
  const points = rows.flatMap(({ what, ours }) => {
    const [, job = '', size = ''] = /^(.*), ([\d,]+) volumes and /.exec(what) ?? [];
    return [{ job: job.replace(', one agent', ' agent'), x: Number(size.replaceAll(',', '')), y: ours }];
  });
  return [...Map.groupBy(points, ({ job }) => job)].map(([name, found]) => ({ name, points: found }));
}

const inWords = (size: number): string =>
  `${size.toLocaleString('en')} volumes and ${(size / VOLUMES_OF_A_NODE).toLocaleString('en')} nodes`;
