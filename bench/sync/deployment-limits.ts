/** The job within the memory of its default deployment, on both sides: it exports and restores everything, and lives. */
import { eventually } from '../../test/harness/wait.ts';
import { Cgroup, type Charged, type Limits } from '../measure/cgroup.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { notMeasured } from '../measure/not-measured.ts';
import type { Row } from '../measure/row.ts';
import { Job } from '../world/job.ts';
import { type Bucket, Site, startBucket } from './site.ts';

const MIB = 2 ** 20;
/** Of the chart. It sets no limit of processors. */
const LIMITS: Limits = { memoryBytes: 512 * MIB, cpuMillis: 8_000 };
const CLUSTER = 'within-limits';

export const deploymentLimits: Benchmark = {
  name: 'deployment limits',
  about:
    'runs the bundle as a pod does, in a cgroup with the 512 Mi of memory that the chart gives it, on a copy of Node.js that nobody else has ' +
    'in memory, so that the pages of its code are charged to it as well: first on the protected side until all is exported, then on an ' +
    'empty recovery cluster until all is restored and it has looked at all of it once more. Memory of its own is what the kernel cannot ' +
    'take back, as the highest of samples taken ten times a second; the peak includes the page cache. Measured once, whatever the rounds.',
  async run(bench) {
    const size = bench.quick ? 500 : 50_000;
    await using bucket = await startBucket();
    return [await exportWithin(size, bucket, bench), await restoreWithin(size, bucket, bench)].flat();
  },
};

async function exportWithin(size: number, bucket: Bucket, bench: Bench): Promise<readonly Row[]> {
  await using site = await Site.start();
  bench.progress(`  making ${size} volumes with claims`);
  await site.growTo(size);
  await site.setResource({ mode: 'Protected', protectedCluster: CLUSTER });
  const isDone = async (job: Job) => (await job.counted('holdfast_sync_exports_total')) >= 1;
  return await within(`export ${inWords(size)} in 512 Mi`, { site, bucket, isDone }, bench);
}

async function restoreWithin(size: number, bucket: Bucket, bench: Bench): Promise<readonly Row[]> {
  await using site = await Site.start();
  await site.setResource({ mode: 'Recovery', protectedCluster: CLUSTER });
  const isDone = async (job: Job) => {
    const created = await job.counted('holdfast_sync_written_objects_total', 'what="created"');
    // Two looks at an export read three objects each: the pointer, the manifest and the export.
    const read = await job.counted('holdfast_sync_store_request_seconds_count', 'result="found"');
    return created >= 2 * size && read >= 6 && (await job.counted('controller_runtime_active_workers')) === 0;
  };
  return await within(`restore ${inWords(size)} in 512 Mi`, { site, bucket, isDone }, bench);
}

const inWords = (size: number): string => `${size.toLocaleString('en')} volumes`;

interface Work {
  readonly site: Site;
  readonly bucket: Bucket;
  readonly isDone: (job: Job) => Promise<boolean>;
}

async function within(what: string, { site, bucket, isDone }: Work, bench: Bench): Promise<readonly Row[]> {
  const made = Cgroup.create(`holdfast-bench-${process.pid}`, LIMITS);
  if (typeof made === 'string') return [notMeasured(what, made, bench)];
  await using cgroup = made;
  const { plane } = site;
  const { environment } = bucket;
  const flags = ['--health-probe-bind-address', '0'];
  await using job = await Job.start({ plane, name: 'sync', inPod: true, cgroup, environment, flags });
  const started = performance.now();
  let ownBytes = 0;
  await eventually(
    async () => {
      ownBytes = Math.max(ownBytes, cgroup.charged().anonymousBytes);
      return !job.isRunning || (await isDone(job));
    },
    { timeout: 3_600_000, interval: 100, for: what },
  );
  const seconds = (performance.now() - started) / 1000;
  bench.progress(`  ${what}: ${Math.round(ownBytes / MIB)} MB of its own, ${seconds.toFixed(0)} s`);
  if (!job.isRunning) bench.progress(`  the job has ended; its last words: ${job.lastWords()}`);
  return rowsOf(what, { charged: cgroup.charged(), ownBytes, seconds, survived: job.isRunning });
}

interface Held {
  readonly charged: Charged;
  readonly ownBytes: number;
  readonly seconds: number;
  readonly survived: boolean;
}

function rowsOf(what: string, { charged, ownBytes, seconds, survived }: Held): readonly Row[] {
  const row = (figure: string, unit: string, ours: number, oursAtMost?: number): Row => ({
    what,
    figure,
    unit,
    ours,
    ...(oursAtMost !== undefined && { target: { oursAtMost } }),
  });
  return [
    row('times killed for memory', '', charged.oomKills, 0),
    row('times ended by itself', '', survived ? 0 : 1, 0),
    row('memory of its own', 'MB', ownBytes / MIB),
    row('peak memory, page cache included', 'MB', charged.peakBytes / MIB),
    row('time on the wall from its start', 's', seconds),
  ];
}
