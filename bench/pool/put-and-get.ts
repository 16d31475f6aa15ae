/** Blobs that come and go, through the agent and through those beside it. */
import { setup } from '../../test/harness/built.ts';
import { type Contest, compare, counted, type Quantity } from '../measure/compare.ts';
import type { Contender } from '../measure/contender.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';
import { GET, type Load, P99, PUT } from './contenders/load.ts';
import { Place } from './place.ts';
import { cpuPerBlob, throughput, timePerBlob } from './quantities.ts';
import { type Server, type Servers, startServers } from './servers.ts';

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
  { name: '4 KiB', sizeBytes: 4 * KIB, clients: 16, blobs: [2_000, 160] },
  { name: '1 MiB', sizeBytes: MIB, clients: 8, blobs: [400, 32] },
  { name: '64 MiB', sizeBytes: 64 * MIB, clients: 4, blobs: [16, 4] },
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
    'Blobs are got while they are still in the page cache. Of the 16 blobs of 64 MiB the 99th percentile is the slowest. CPU time is that of the server, ' +
    'which on a busy machine says more than the clock on the wall.',
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
  const contender = ({ dialect, pid }: Server): Contender => {
    const input: Load = { dialect, pid, clients, blobs, sizeBytes };
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
      compare(bareContest, cpuPerBlob(blobs)),
      compare(s3Contest, timePerBlob(blobs)),
      compare(s3Contest, throughput(blobs * sizeBytes)),
      compare(s3Contest, p99),
      compare(s3Contest, cpuPerBlob(blobs)),
    ];
  });
}

const p99: Quantity = { ...counted(P99), unit: 'ms' };
