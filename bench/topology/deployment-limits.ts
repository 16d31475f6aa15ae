/** The job within the limits of its default deployment: it labels everything, it lives, and then it asks the API server for nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '../../test/harness/audit.ts';
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { Cgroup, type Charged, type Limits } from '../measure/cgroup.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { notMeasured } from '../measure/not-measured.ts';
import type { Row } from '../measure/row.ts';
import { Job } from '../world/job.ts';
import { countLabelled } from '../world/labelled.ts';
import { World } from '../world/world.ts';
import { untilLabelled } from './steady-cluster.ts';

const MIB = 2 ** 20;
const LIMITS: Limits = { memoryBytes: 128 * MIB, cpuMillis: 100 };
/** The last answers, and what follows from them, are not yet the steady state. */
const SETTLE_MS = 5_000;

/** How long a resync takes to come, and how many are looked at. */
const resyncMs = ({ quick }: Bench): number => (quick ? 2_000 : 10_000);
const RESYNCS = 3;

export const deploymentLimits: Benchmark = {
  name: 'deployment limits',
  about:
    'runs the bundle in a cgroup with 128 Mi of memory and a tenth of a core, on a copy of Node.js that nobody else has in memory, so that ' +
    'the pages of its code are charged to it as well. It labels every volume, each with its own claim and its own pod of about 8 KB; ' +
    'then three resyncs pass, in which the audit log of the API server must show no request of the job but watches. ' +
    'The peak includes the page cache, which the kernel takes back when it has to; what the program itself holds is beside it, as the ' +
    'highest of samples taken each second.',
  isRunOnce: true,
  async run(bench) {
    const size = bench.quick ? 500 : 10_000;
    const name = `holdfast-bench-${process.pid}`;
    const cgroup = Cgroup.create(name, LIMITS);
    const what = `${size.toLocaleString('en')} volumes in 128 Mi and 100m`;
    if (typeof cgroup === 'string') return [notMeasured(what, cgroup, bench)];
    await using group = cgroup;
    return await within(group, what, size, bench);
  },
};

async function within(cgroup: Cgroup, what: string, size: number, bench: Bench): Promise<readonly Row[]> {
  await using world = new World({ audit: true });
  const plane = await world.plane();
  const volumes = await world.volumes();
  bench.progress(`  making ${size} volumes with claims and pods`);
  await volumes.growTo(size);
  const flags = ['--resync-period', `${resyncMs(bench)}ms`];
  await using job = await Job.start({ plane, name: 'topology', inPod: true, cgroup, flags });
  const labelling = await labelAll({ plane, job, cgroup, size, bench });
  const steady = await staySteady({ plane, job, cgroup, size, bench });
  const survived = job.isRunning;
  if (!survived) bench.progress(`  the job has ended; its last words: ${job.lastWords()}`);
  return rowsOf(what, labelling, steady, cgroup.charged(), survived);
}

interface Labelling {
  readonly unlabelled: number;
  /** As the audit log of the API server shows them. */
  readonly writesPerVolume: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly anonymousBytes: number;
}

interface Work {
  readonly plane: ControlPlane;
  readonly job: Job;
  readonly cgroup: Cgroup;
  readonly size: number;
  readonly bench: Bench;
}

async function labelAll({ plane, job, cgroup, size, bench }: Work): Promise<Labelling> {
  const started = performance.now();
  let anonymousBytes = 0;
  const look = () => {
    anonymousBytes = Math.max(anonymousBytes, cgroup.charged().anonymousBytes);
  };
  await untilLabelled(plane, job, { volumes: size, timeoutMs: bench.quick ? 120_000 : 900_000, look });
  const wallSeconds = (performance.now() - started) / 1000;
  const cpuSeconds = job.cpuSeconds();
  const unlabelled = size - (await countLabelled(plane.admin));
  const writesPerVolume = (await plane.auditLog()).filter(isOurs).filter(({ verb }) => verb === 'patch').length / size;
  bench.progress(`  ${size - unlabelled} labelled after ${wallSeconds.toFixed(0)} s: ${brief(cgroup.charged())}`);
  return { unlabelled, writesPerVolume, wallSeconds, cpuSeconds, anonymousBytes };
}

interface Steady {
  /** What the job has asked for, watches left out. None of a job that has ended means nothing. */
  readonly requests: number;
  /** How often it has looked at a volume: it did not rest. */
  readonly looks: number;
  readonly cpuSeconds: number;
  readonly anonymousBytes: number;
}

async function staySteady({ plane, job, cgroup, bench }: Work): Promise<Steady> {
  await sleep(SETTLE_MS);
  const from = new Date();
  const [cpu, looks] = [job.cpuSeconds(), await job.reconciles()];
  await sleep((RESYNCS + 0.5) * resyncMs(bench));
  const requests = (await plane.auditLog()).filter((event) => isAsked(event, from)).length;
  return {
    requests: job.isRunning ? requests : Number.NaN,
    looks: (await job.reconciles()) - looks,
    cpuSeconds: job.cpuSeconds() - cpu,
    anonymousBytes: cgroup.charged().anonymousBytes,
  };
}

const isOurs = ({ userAgent }: AuditEvent): boolean => userAgent?.startsWith('holdfast-topology/') === true;

const isAsked = (event: AuditEvent, from: Date): boolean =>
  isOurs(event) && event.verb !== 'watch' && Date.parse(event.requestReceivedTimestamp) >= from.getTime();

function rowsOf(
  what: string,
  labelling: Labelling,
  steady: Steady,
  charged: Charged,
  survived: boolean,
): readonly Row[] {
  const row = (figure: string, unit: string, ours: number, oursAtMost?: number): Row => ({
    what,
    figure,
    unit,
    ours,
    ...(oursAtMost !== undefined && { target: { oursAtMost } }),
  });
  const resyncs = 'in three resyncs of a steady cluster';
  return [
    row('volumes left unlabelled', '', labelling.unlabelled, 0),
    row('writes per volume', '', labelling.writesPerVolume, 1),
    row('times killed for memory', '', charged.oomKills, 0),
    row('times ended by itself', '', survived ? 0 : 1, 0),
    row('time on the wall until all are labelled', 's', labelling.wallSeconds),
    row('CPU time until all are labelled', 's', labelling.cpuSeconds),
    row('peak memory, page cache included', 'MB', charged.peakBytes / MIB),
    row('memory of its own while labelling', 'MB', labelling.anonymousBytes / MIB),
    row('memory of its own afterwards', 'MB', steady.anonymousBytes / MIB),
    row('times at the limit of memory', '', charged.timesAtLimit),
    row('pages read from the disk', '', charged.majorFaults),
    row(`requests other than watches ${resyncs}`, '', steady.requests, 0),
    row(`looks at volumes ${resyncs}`, '', steady.looks),
    row(`CPU time ${resyncs}`, 's', steady.cpuSeconds),
  ];
}

const brief = ({ peakBytes, anonymousBytes, cacheBytes, timesAtLimit, oomKills }: Charged): string => {
  const mb = (bytes: number) => `${Math.round(bytes / MIB)} MB`;
  const held = `${mb(anonymousBytes)} of its own, ${mb(cacheBytes)} of page cache`;
  return `peak ${mb(peakBytes)}, ${held}, ${timesAtLimit} times at the limit, ${oomKills} times killed`;
};
