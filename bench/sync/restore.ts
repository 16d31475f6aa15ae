/** All volumes of an export restored on an empty cluster: what the job costs beside the same objects created with nothing around it. */
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import {
  type Contest,
  CPU,
  compare,
  counted,
  PEAK,
  perItem,
  type Quantity,
  SETTLED,
  STALL,
  WALL,
} from '../measure/compare.ts';
import { runContender } from '../measure/contender.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { growth, memoryGrowth, type Sized } from '../measure/growth.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';
import { EtcdStore } from '../world/etcd-store.ts';
import { NAMESPACES } from '../world/pod.ts';
import {
  AGAIN,
  API_REQUESTS,
  CONDITIONAL,
  POLL,
  POLLING_MS,
  READ,
  REQUESTS,
  RESTORE,
  STORE_REQUESTS,
} from './contenders/restore.ts';
import { type Bucket, Site, startBucket } from './site.ts';
import { sizesOf } from './sizes.ts';

const CONNECTIONS = 32;

export const restoreAll: Benchmark = {
  name: 'restore',
  about:
    'restores an export of volumes with their bound claims on an empty cluster: the job finds it in the store, checks it, decides and ' +
    'creates. The limit has the very same objects at hand, as JSON, and creates them by bare POSTs over 32 connections, each answer ' +
    'parsed. Each run begins with the same etcd and a fresh API server; there is no binder, which would take its share of the processors ' +
    'from both. Requests are counted by the API server. Afterwards the job hears of what it has written, and looks at all of it once ' +
    'more; its memory is the most at any moment up to the end of that. Then the store is polled each second: requests are counted as they ' +
    'leave the process, whoever sends them. For comparison, measured elsewhere on this kind of machine and not in this run: the operator ' +
    'that this job replaces restored 1,000 volumes with claims in 19 s, with 5 requests for each pair, and then did it all twice more; 5,000 ' +
    'in 104 s, with 300 MB of memory.',
  async run(bench) {
    await using bucket = await startBucket();
    const sizes = sizesOf(bench);
    await makeExports(sizes, bucket, bench);
    await using site = await Site.start();
    const empty = await site.plane.snapshot();
    const outcomes: Sized[] = [];
    for (const size of sizes) {
      const before = async () => {
        await site.plane.restore(empty);
        await site.setResource({
          mode: 'Recovery',
          protectedCluster: nameOf(size),
          pollingInterval: POLLING_MS / 1000,
        });
      };
      outcomes.push(await ofSize(size, site, { bucket, before }, bench));
    }
    return [
      ...outcomes.flatMap(rowsOf),
      ...growth(outcomes, { phase: RESTORE, item: 'volume' }),
      ...memoryGrowth(outcomes, { phase: ALL, item: 'volume' }),
    ];
  },
};

const ALL = 'all';

const nameOf = (size: number): string => `of-${size}-volumes`;

/** By the job itself, on a cluster that is gone before anything is measured. */
async function makeExports(sizes: readonly number[], { environment }: Bucket, bench: Bench): Promise<void> {
  await using site = await Site.start();
  for (const size of sizes) {
    bench.progress(`  exporting ${size} volumes with claims`);
    await site.growTo(size);
    await site.setResource({ mode: 'Protected', protectedCluster: nameOf(size) });
    const input = { access: site.access, environment };
    await runContender({ module: import.meta.resolve('./contenders/export.ts'), input });
  }
}

interface Recovery {
  readonly bucket: Bucket;
  readonly before: () => Promise<void>;
}

async function ofSize(size: number, site: Site, { bucket, before }: Recovery, bench: Bench): Promise<Sized> {
  bench.progress(`  restoring ${size} volumes with claims`);
  const { access } = site;
  const { environment } = bucket;
  const objects = 2 * size;
  const { limit, ours } = await race(
    {
      limit: {
        module: import.meta.resolve('./contenders/bare-restore.ts'),
        input: { access, environment, connections: CONNECTIONS },
        before,
      },
      ours: {
        module: import.meta.resolve('./contenders/restore.ts'),
        input: { access, environment, objects, polls: bench.quick ? 3 : 10 },
        nodeFlags: NODE_FLAGS,
        before,
      },
    },
    bench,
  );
  const stored = await countStored(site);
  if (stored !== objects) throw new Error(`the last one was done, and of ${objects} objects ${stored} are there`);
  return { size, limit: limit.joining(ALL, [RESTORE]), ours: ours.joining(ALL, [READ, RESTORE, AGAIN]) };
}

/** Behind the back of everybody. */
async function countStored({ plane }: Site): Promise<number> {
  await using etcd = new EtcdStore(plane.directory);
  const counts = ['persistentvolumes', 'persistentvolumeclaims'].map((plural) => etcd.count(`/registry/${plural}/`));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const NEAR_THE_LIMIT = { ratioAtMost: 1.3 };

function rowsOf({ size, limit, ours }: Sized): readonly Row[] {
  const count = size.toLocaleString('en');
  const alone = (what: string, phase: string): Contest => ({ what: `${what} ${count} volumes`, phase, ours });
  const restore: Contest = { ...alone('restore', RESTORE), limit };
  const all = alone('restore, and look again at,', ALL);
  const again = alone('look again at', AGAIN);
  const poll = alone('a poll beside', POLL);
  return [
    compare(restore, WALL, NEAR_THE_LIMIT),
    compare(restore, CPU),
    compare(restore, perItem(CPU, 'volume', size)),
    compare(restore, STALL),
    compare(all, perObject(size), { oursAtMost: 1 }),
    compare(all, PEAK),
    compare(all, SETTLED),
    compare(again, CPU),
    compare(again, STALL),
    compare(poll, counted(STORE_REQUESTS), { oursAtMost: 1 }),
    compare(poll, UNCONDITIONAL, { oursAtMost: 0 }),
    compare(poll, counted(API_REQUESTS), { oursAtMost: 0 }),
    compare(poll, STALL),
  ];
}

const UNCONDITIONAL: Quantity = {
  name: 'of these not answered by 304',
  unit: '',
  of: (figures) => counted(STORE_REQUESTS).of(figures) - counted(CONDITIONAL).of(figures),
};

/** The namespaces are objects, too, and so is the one that tells which cluster this is, which is read once. */
const perObject = (size: number): Quantity => ({
  name: 'requests per object',
  unit: '',
  of: (figures) => counted(REQUESTS).of(figures) / (2 * size + NAMESPACES + 1),
});
