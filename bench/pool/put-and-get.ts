/** Blobs that come and go, through the agent and through those beside it. */
import { setup } from '../../test/harness/built.ts';
import { type Contest, compare, counted, type Quantity } from '../measure/compare.ts';
import type { Contender } from '../measure/contender.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';
import { GET, type Load, P99, PUT } from './contenders/load.ts';
import type { Dialect } from './dialect.ts';
import { Place } from './place.ts';
import { type Servers, startServers } from './servers.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;

interface Size {
  readonly name: string;
  readonly sizeBytes: number;
  readonly clients: number;
  /** In a run, and in a quick one. */
  readonly blobs: readonly [number, number];
}

const SIZES: readonly Size[] = [
  { name: '4 KiB', sizeBytes: 4 * KIB, clients: 16, blobs: [4_000, 160] },
  { name: '1 MiB', sizeBytes: MIB, clients: 8, blobs: [800, 32] },
  { name: '64 MiB', sizeBytes: 64 * MIB, clients: 4, blobs: [32, 4] },
];

export const putAndGet: Benchmark = {
  name: 'put and get',
  about:
    'puts blobs and then gets them, by several clients at once (16 at 4 KiB, 8 at 1 MiB, 4 at 64 MiB), each with one connection that it ' +
    'keeps, from the same process for all. The agent runs as it is shipped, with a token. The limit is a file server of 60 lines in the ' +
    'same Node.js, which keeps its word about the disk and does nothing else: it writes a file, fsyncs it, renames it, fsyncs the ' +
    'directory and answers; it has neither checksums nor checks. The S3 server is versitygw, the one of the tests, with files as its ' +
    'store: it never fsyncs, neither file nor directory, so what it acknowledges a power cut may take; and what is sent is not signed, so ' +
    'that it checks no digest. All files are on the same disk, and what one has left to write is written before the next begins. ' +
    'Blobs are got while they are still in the page cache. Of the 32 blobs of 64 MiB the 99th percentile is the slowest.',
  async run(bench) {
    await setup();
    await using place = await Place.make();
    await using stack = new AsyncDisposableStack();
    const servers = await startServers(place.directory, stack);
    const rows: Row[] = [];
    for (const size of SIZES) rows.push(...(await ofOneSize(size, servers, place, bench)));
    return rows;
  },
};

async function ofOneSize(size: Size, servers: Servers, place: Place, bench: Bench): Promise<readonly Row[]> {
  const { sizeBytes, clients } = size;
  const blobs = size.blobs[bench.quick ? 1 : 0];
  bench.progress(`  ${blobs} blobs of ${size.name}, ${clients} clients`);
  const contender = (dialect: Dialect): Contender => {
    const input: Load = { dialect, clients, blobs, sizeBytes };
    return { module: import.meta.resolve('./contenders/load.ts'), input, before: () => place.settle() };
  };
  const { bare, agent, s3 } = await race(
    { bare: contender(servers.bare), agent: contender(servers.agent), s3: contender(servers.s3) },
    bench,
  );
  return [PUT, GET].flatMap((phase) => {
    const what = `${phase.toUpperCase()} of ${size.name}`;
    const beside = (name: string, limit: typeof bare): Contest => ({
      what: `${what} ${name}`,
      phase,
      limit,
      ours: agent,
    });
    const bareContest = beside('beside a bare file server', bare);
    const s3Contest = beside('beside the S3 server', s3);
    return [
      compare(bareContest, timePerBlob(blobs)),
      compare(bareContest, throughput(blobs * sizeBytes)),
      compare(bareContest, p99),
      compare(s3Contest, timePerBlob(blobs)),
      compare(s3Contest, throughput(blobs * sizeBytes)),
      compare(s3Contest, p99),
    ];
  });
}

const timePerBlob = (blobs: number): Quantity => ({
  name: 'time on the wall per blob',
  unit: 'ms',
  of: ({ wallSeconds }) => (wallSeconds / blobs) * 1e3,
});

const throughput = (bytes: number): Quantity => ({
  name: 'throughput',
  unit: 'MB/s',
  of: ({ wallSeconds }) => bytes / 1e6 / wallSeconds,
});

const p99: Quantity = { ...counted(P99), unit: 'ms' };
