/** What the agent holds in memory while many large blobs come in at once. */
import { setup } from '../../test/harness/built.ts';
import { Cgroup, type Limits } from '../measure/cgroup.ts';
import { runContender } from '../measure/contender.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { notMeasured } from '../measure/not-measured.ts';
import type { Row } from '../measure/row.ts';
import { Agent, CONTAINER } from './agent.ts';
import { STREAM_IN, type Streams } from './contenders/streams.ts';
import { Place } from './place.ts';
import { RoomyVolume } from './roomy-volume.ts';
import { most, watched } from './watched.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const STREAMS = 64;
/** The memory of its container. With a tenth of a core, too, it would take hours. */
const LIMITS: Limits = { ...CONTAINER, cpuMillis: 8_000 };

export const memory: Benchmark = {
  name: 'memory',
  about:
    'puts 64 blobs of 1 GiB at the same time: what is held in the second half of that time must be what is held in the first. Beside it, ' +
    'as the limit, as many of 16 MiB to a fresh agent, whose memory has less time to get to where it stays. The agent runs in a cgroup ' +
    'with the 100 MB that its pool gives it, and as much of the processors as there is. Memory of its own is what the kernel cannot take ' +
    'back, as the highest of samples taken twenty times a second. 64 GiB at once are more than most disks have free, so that the volume ' +
    'is a btrfs that compresses, and the bytes can be compressed. Measured once, whatever the rounds.',
  async run(bench) {
    await setup();
    await using place = await Place.make();
    const what = `${STREAMS} PUTs at once`;
    const volume = await RoomyVolume.make(place, 256 * GIB);
    if (typeof volume === 'string') return [notMeasured(what, volume, bench)];
    await using roomy = volume;
    const [small, large] = bench.quick ? [4 * MIB, 32 * MIB] : [16 * MIB, GIB];
    const limit = await whileComing(small, 'small', roomy, bench);
    const ours = await whileComing(large, 'large', roomy, bench);
    if (typeof limit === 'string') return [notMeasured(what, limit, bench)];
    if (typeof ours === 'string') return [notMeasured(what, ours, bench)];
    return rowsOf(`${what} of ${large / MIB} MiB, beside ${small / MIB} MiB`, { small: limit, large: ours });
  },
};

interface Held {
  readonly idleMb: number;
  /** The most of its own in the first half of the time, and in the second. */
  readonly firstMb: number;
  readonly secondMb: number;
  readonly seconds: number;
  readonly sizeBytes: number;
  readonly oomKills: number;
}

async function whileComing(
  sizeBytes: number,
  name: string,
  { directory }: RoomyVolume,
  bench: Bench,
): Promise<Held | string> {
  const cgroup = Cgroup.create(`holdfast-bench-${process.pid}`, LIMITS);
  if (typeof cgroup === 'string') return cgroup;
  await using group = cgroup;
  await using agent = await Agent.start({
    directory,
    name,
    within: (program, args) => group.commandFor(program, args),
  });
  const idleMb = agent.process.statusMb('RssAnon');
  const input: Streams = { url: agent.url, headers: agent.headers, streams: STREAMS, sizeBytes, isRead: false };
  const contender = { module: import.meta.resolve('./contenders/streams.ts'), input };
  const { result: run, samples } = await watched(
    () => runContender(contender),
    () => agent.process.statusMb('RssAnon'),
  );
  const seconds = run[STREAM_IN]?.wallSeconds ?? Number.NaN;
  const half = Math.ceil(samples.length / 2);
  const [firstMb, secondMb] = [most(samples.slice(0, half)), most(samples.slice(half))];
  const held = `${firstMb.toFixed(0)} MB of its own, then ${secondMb.toFixed(0)} MB`;
  bench.progress(`  ${STREAMS} of ${sizeBytes / MIB} MiB: ${held}, ${seconds.toFixed(0)} s`);
  return { idleMb, firstMb, secondMb, seconds, sizeBytes, oomKills: group.charged().oomKills };
}

function rowsOf(what: string, { small, large }: Readonly<Record<'small' | 'large', Held>>): readonly Row[] {
  const row = (figure: string, unit: string, ours: number, limit: number): Row => {
    return { what, figure, unit, limit, ours, ratio: ours / limit };
  };
  const ownMb = ({ firstMb, secondMb }: Held) => Math.max(firstMb, secondMb);
  const speed = ({ sizeBytes, seconds }: Held) => (STREAMS * sizeBytes) / 1e6 / seconds;
  const { secondMb, firstMb, oomKills } = large;
  return [
    { ...row('memory of its own, second half beside first', 'MB', secondMb, firstMb), target: { ratioAtMost: 1.1 } },
    { what, figure: 'times killed for memory', unit: '', ours: oomKills, target: { oursAtMost: 0 } },
    row('memory of its own', 'MB', ownMb(large), ownMb(small)),
    row('memory of its own before', 'MB', large.idleMb, small.idleMb),
    row('throughput', 'MB/s', speed(large), speed(small)),
  ];
}
