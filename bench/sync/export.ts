/** All volumes of a cluster exported: what the job costs beside one bare PUT of the same bytes. */
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import { type Contest, CPU, compare, counted, PEAK, type Quantity, SETTLED, STALL, WALL } from '../measure/compare.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { memoryGrowth, type Sized } from '../measure/growth.ts';
import { race } from '../measure/race.ts';
import type { Row, Target } from '../measure/row.ts';
import { BYTES, CHANGE, EXPORT, READ, SECONDS, STORE_REQUESTS } from './contenders/export.ts';
import { type Bucket, Site, startBucket } from './site.ts';
import { sizesOf } from './sizes.ts';

export const exportAll: Benchmark = {
  name: 'export',
  about:
    'exports volumes with their bound claims, first when the job starts and then once more after a label of one volume has changed. ' +
    'The limit has the same objects as text already: it puts them together and sends them by one signed PUT, to the same S3 server ' +
    '(versitygw, the one of the tests, its files in memory). The time of an export is from the first object that is taken from the caches ' +
    'until the export can be restored: without the second for which the job waits for more changes, and without looking for old exports, ' +
    'which is done beside it. In it the job hashes, reads the pointer, writes export, manifest and pointer, and the first time also claims the ' +
    'pointer and tries whether the store keeps two writers apart. While the objects are put together and hashed the pointer is read, and the ' +
    'first time manifests are listed and four small writes tried, two of them at once; then one after another, since each has to be certain ' +
    'before the next, the pointer is claimed (the first time), and export, manifest and pointer are written. The small requests cost the same ' +
    'whatever the size, most of it processor time of the SDK, whose code has hardly run by then: of an export that ' +
    'takes some hundredths of a second they are a large part. Two requests are sent before, while the caches are being read, so that the ' +
    'SDK has run once and is connected: that is a part of "start and read", and the two are among the requests that are counted. For ' +
    'comparison, measured elsewhere on this kind of machine and ' +
    'not in this run: the operator that this job replaces exported 1,000 volumes with claims in 0.3 s, twice at each start.',
  async run(bench) {
    await using bucket = await startBucket();
    await using site = await Site.start();
    const outcomes: Sized[] = [];
    for (const size of sizesOf(bench)) outcomes.push(await ofSize(size, site, bucket, bench));
    return [...outcomes.flatMap(rowsOf), ...memoryGrowth(outcomes, { phase: EXPORT, item: 'volume' })];
  },
};

async function ofSize(size: number, site: Site, bucket: Bucket, bench: Bench): Promise<Sized> {
  bench.progress(`  making ${size} volumes with claims`);
  await site.growTo(size);
  const { access } = site;
  const { server, environment } = bucket;
  let runs = 0;
  const { limit, ours } = await race(
    {
      limit: {
        module: import.meta.resolve('./contenders/bare-export.ts'),
        input: {
          access,
          server: { url: server.url.origin, credentials: server.credentials },
          path: `/exports/bare/${size}`,
        },
      },
      ours: {
        module: import.meta.resolve('./contenders/export.ts'),
        input: { access, environment },
        nodeFlags: NODE_FLAGS,
        // Each time as if it were the first.
        before: () => site.setResource({ mode: 'Protected', protectedCluster: `run-${size}-${++runs}` }),
      },
    },
    bench,
  );
  const [bytes, wanted] = [ours.count(EXPORT, BYTES), limit.count(EXPORT, BYTES)];
  if (bytes !== wanted) throw new Error(`the job has exported ${bytes} bytes, and the same objects have ${wanted}`);
  return { size, limit, ours };
}

const NEAR_THE_LIMIT: Target = { ratioAtMost: 1.3 };
const TIME: Quantity = { ...counted(SECONDS), name: 'time on the wall', unit: 's' };
const MEGABYTES: Quantity = { name: 'size', unit: 'MB', of: (figures) => counted(BYTES).of(figures) / 1e6 };

function rowsOf({ size, limit, ours }: Sized): readonly Row[] {
  const count = size.toLocaleString('en');
  const contest = (what: string, phase: string): Contest => ({ what: `${what} ${count} volumes`, phase, limit, ours });
  const alone = (what: string, phase: string): Contest => ({ what: `${what} ${count} volumes`, phase, ours });
  const first = contest('first export of', EXPORT);
  const next = contest('export after a change of one of', CHANGE);
  return [
    compare(alone('start and read', READ), WALL),
    compare(alone('first export of', EXPORT), MEGABYTES),
    compare(first, TIME, NEAR_THE_LIMIT),
    compare(alone('first export, with all around it, of', EXPORT), WALL),
    compare(first, CPU),
    compare(first, STALL),
    compare(first, PEAK),
    compare(first, SETTLED),
    compare(alone('first export of', EXPORT), counted(STORE_REQUESTS)),
    compare(next, TIME, NEAR_THE_LIMIT),
    compare(next, CPU),
    compare(next, STALL),
    compare(alone('export after a change of one of', CHANGE), counted(STORE_REQUESTS)),
  ];
}
