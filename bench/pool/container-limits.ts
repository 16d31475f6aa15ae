/** The agent within the limits of its container: all that it is asked for it does, and it lives. */
import { setup } from '../../test/harness/built.ts';
import { Cgroup, type Charged } from '../measure/cgroup.ts';
import { type Contender, runContender } from '../measure/contender.ts';
import type { Figures, Run } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { notMeasured } from '../measure/not-measured.ts';
import type { Row } from '../measure/row.ts';
import { Agent, CONTAINER } from './agent.ts';
import { DRAIN, type DrainLoad, SLOWEST_STATUS } from './contenders/drain.ts';
import { GET, type Load, P99, PUT } from './contenders/load.ts';
import { STREAM_IN, STREAM_OUT, type Streams } from './contenders/streams.ts';
import { Place } from './place.ts';
import { most, watched } from './watched.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const WHAT = 'the agent in 100m and 100M';

export const containerLimits: Benchmark = {
  name: 'container limits',
  about:
    'runs the agent in a cgroup with the limits that its pool gives its container, a tenth of a core and 100 MB of memory, the page cache ' +
    'included. Blobs of 4 KiB and of 1 MiB are put and got by 16 and 8 clients, 64 blobs of 4 MiB come and go at the same time, and ' +
    'then it hands 64 of 1 MiB over to an agent without limits. Whatever is answered with an error, or comes back with fewer bytes, fails ' +
    'the whole. Memory of its own is what the kernel cannot take back, as the highest of samples taken twenty times a second; the peak ' +
    'includes the page cache, which it takes back all the time. Measured once, whatever the rounds.',
  async run(bench) {
    await setup();
    const made = Cgroup.create(`holdfast-bench-${process.pid}`, CONTAINER);
    if (typeof made === 'string') return [notMeasured(WHAT, made, bench)];
    await using cgroup = made;
    await using place = await Place.make();
    return await within(cgroup, place, bench);
  },
};

async function within(cgroup: Cgroup, { directory }: Place, bench: Bench): Promise<readonly Row[]> {
  const started = performance.now();
  await using agent = await Agent.start({ directory, name: 'agent', within: (...line) => cgroup.commandFor(...line) });
  const startSeconds = (performance.now() - started) / 1000;
  await using peer = await Agent.start({ directory, name: 'peer' });
  const { result: rows, samples } = await watched(
    () => allOf(agent, peer, bench),
    () => agent.process.statusMb('RssAnon'),
  );
  return [...ofTheProcess(cgroup.charged(), agent.process.isRunning, most(samples), startSeconds), ...rows];
}

async function allOf(agent: Agent, peer: Agent, bench: Bench): Promise<readonly Row[]> {
  const few = bench.quick ? 8 : 1;
  const { url, headers, dialect } = agent;
  const { pid } = agent.process;
  const small: Load = { dialect, pid, clients: 16, blobs: 800 / few, sizeBytes: 4 * KIB };
  const medium: Load = { dialect, pid, clients: 8, blobs: 128 / few, sizeBytes: MIB };
  const streams: Streams = { url, headers, streams: 64, sizeBytes: (4 * MIB) / few, isRead: true };
  const both = { from: agent.peer, to: peer.peer, log: agent.log, pids: [pid, peer.process.pid] };
  const sizes = Array.from({ length: 64 / few }, () => MIB);
  const drained: DrainLoad = { ...both, headers, sizes, askedEveryMs: 500 };
  const run = (name: string, input: unknown): Promise<Run> => {
    bench.progress(`  ${name}`);
    return runContender({ module: import.meta.resolve(`./contenders/${name}.ts`), input } satisfies Contender);
  };
  const rows = [
    ...loadRows(small, '4 KiB', await run('load', small)),
    ...loadRows(medium, '1 MiB', await run('load', medium)),
    ...streamRows(streams, await run('streams', streams)),
  ];
  const { [DRAIN]: drain } = await run('drain', drained);
  return [
    ...rows,
    row('throughput of a drain', 'MB/s', speed(drain, sizes.length * MIB)),
    row('slowest answer to /status in a drain', 'ms', drain?.counts[SLOWEST_STATUS] ?? Number.NaN, IN_TIME),
  ];
}

/** For so many milliseconds an operator waits for it. */
const IN_TIME = 2_000;

const loadRows = ({ blobs, sizeBytes }: Load, size: string, run: Run): readonly Row[] =>
  [PUT, GET].flatMap((phase) => {
    const what = `${phase.toUpperCase()} of ${size}`;
    return [
      row(`throughput of ${what}`, 'MB/s', speed(run[phase], blobs * sizeBytes)),
      row(`99th percentile of ${what}`, 'ms', run[phase]?.counts[P99] ?? Number.NaN),
    ];
  });

const streamRows = ({ streams, sizeBytes }: Streams, run: Run): readonly Row[] =>
  Object.entries({ PUTs: STREAM_IN, GETs: STREAM_OUT }).map(([name, phase]) =>
    row(`throughput of ${streams} ${name} at once`, 'MB/s', speed(run[phase], streams * sizeBytes)),
  );

const ofTheProcess = (charged: Charged, isRunning: boolean, ownMb: number, startSeconds: number): readonly Row[] => [
  row('times killed for memory', '', charged.oomKills, 0),
  row('times ended by itself', '', isRunning ? 0 : 1, 0),
  row('memory of its own', 'MB', ownMb, CONTAINER.memoryBytes / 1e6),
  row('peak memory, page cache included', 'MB', charged.peakBytes / 1e6),
  row('time on the wall until it serves', 's', startSeconds),
];

const speed = (figures: Figures | undefined, bytes: number): number =>
  bytes / 1e6 / (figures?.wallSeconds ?? Number.NaN);

const row = (figure: string, unit: string, ours: number, oursAtMost?: number): Row => ({
  what: WHAT,
  figure,
  unit,
  ours,
  ...(oursAtMost !== undefined && { target: { oursAtMost } }),
});
