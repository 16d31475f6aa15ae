/** An agent that hands all that it has over to another one, beside a bare copy of as many files. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setup } from '../../test/harness/built.ts';
import { sizeOf } from '../../test/integration/pool/blob-content.ts';
import { type Contest, compare } from '../measure/compare.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row, Target } from '../measure/row.ts';
import { Agent } from './agent.ts';
import type { Copy } from './contenders/copy.ts';
import { DRAIN, type DrainLoad } from './contenders/drain.ts';
import { Place } from './place.ts';
import { cpuPerBlob, throughput, timePerBlob } from './quantities.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;

interface Size {
  readonly name: string;
  /** Of the n-th blob. */
  readonly bytesOf: (n: number) => number;
  /** Connections of the copy: as many as the drain sends at a time of this size, or more. */
  readonly atOnce: number;
  /** In a run, and in a quick one. */
  readonly blobs: readonly [number, number];
  readonly target?: Target;
}

/** So many are the whole mix of the tests, from 4 KiB to 64 MiB: 90 MiB. */
const MIXED = 107;

/** 0.8 of the speed is 1.25 times the time. */
const AS_FAST: Target = { ratioAtMost: 1.25 };

const SIZES: readonly Size[] = [
  { name: '4 KiB', bytesOf: () => 4 * KIB, atOnce: 16, blobs: [2_000, 200] },
  { name: '1 MiB', bytesOf: () => MIB, atOnce: 16, blobs: [500, 50], target: AS_FAST },
  { name: '64 MiB', bytesOf: () => 64 * MIB, atOnce: 4, blobs: [16, 4], target: AS_FAST },
  { name: 'mixed', bytesOf: sizeOf, atOnce: 16, blobs: [5 * MIXED, MIXED], target: AS_FAST },
];

export const drain: Benchmark = {
  name: 'drain',
  about:
    'has an agent hand all of its blobs over to another one, from the order until its log says that it is Decommissioned: nobody asks it meanwhile, as nobody asks the copy. Both are processes of ' +
    'their own with their files on the same disk. The drain reads each blob, sends it, has the receiver check its digest, put it ' +
    'on the disk and say so, and removes its own. The limit is a bare copy of as many files from one process to another over as many ' +
    'connections on loopback, which fsyncs each file, too, and does none of the rest. 0.8 of its speed is 1.25 times its time: to be reached where it is bytes that ' +
    'cost. The mixed blobs are those of the tests: many small ones, and most of the bytes in a few large ones. Of blobs of 4 KiB it is what is done for each: a request that is waited for twice, thirteen calls for files instead of eight, and two fsyncs ' +
    '(of the file and of its directory; the directories that blobs have left follow at the end) instead of one. The CPU time is that of both ends.',
  async run(bench) {
    await setup();
    await using place = await Place.make();
    await using from = await Agent.start({ directory: place.directory, name: 'from' });
    await using to = await Agent.start({ directory: place.directory, name: 'to' });
    await mkdir(join(place.directory, 'copy'));
    const rows: Row[] = [];
    for (const size of SIZES) rows.push(...(await ofOneSize(size, { place, from, to }, bench)));
    return rows;
  },
};

interface Parts {
  readonly place: Place;
  readonly from: Agent;
  readonly to: Agent;
}

async function ofOneSize(size: Size, { place, from, to }: Parts, bench: Bench): Promise<readonly Row[]> {
  const { atOnce: connections } = size;
  const blobs = size.blobs[bench.quick ? 1 : 0];
  const sizes = Array.from({ length: blobs }, (_, n) => size.bytesOf(n));
  bench.progress(`  ${blobs} blobs: ${size.name}`);
  const before = () => place.settle();
  const copy: Copy = { directory: join(place.directory, 'copy'), sizes, connections };
  const pids = [from.process.pid, to.process.pid];
  const load: DrainLoad = {
    from: from.peer,
    to: to.peer,
    headers: from.headers,
    log: from.log,
    sizes,
    pids,
  };
  const { limit, ours } = await race(
    {
      limit: { module: import.meta.resolve('./contenders/copy.ts'), input: copy, before },
      ours: { module: import.meta.resolve('./contenders/drain.ts'), input: load, before },
    },
    bench,
  );
  const contest: Contest = { what: `drain of ${size.name} blobs`, phase: DRAIN, limit, ours };
  return [
    compare(contest, timePerBlob(blobs), size.target),
    compare(contest, throughput(sizes.reduce((sum, bytes) => sum + bytes, 0))),
    compare(contest, cpuPerBlob(blobs)),
  ];
}
