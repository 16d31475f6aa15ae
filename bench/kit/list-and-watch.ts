/** Tens of thousands of pods through the cache, beside the same bytes downloaded and parsed, and beside the published client. */
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import { CPU, compare, PEAK, perItem, SETTLED, STALL, WALL } from '../measure/compare.ts';
import type { Runs } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';

export const listAndWatch: Benchmark = {
  name: 'list and watch',
  about:
    'lists pods of about 8 KB and watches changes of them. The limit is the cheaper, in CPU time, of two downloads that parse the ' +
    'JSON and drop it: in pages of 500, and as a stream of events. Ours runs with the ' +
    'flags of Node.js that the bundle has. The published client lists in one piece, as its informer does.',
  async run(bench) {
    const rows: Row[] = [];
    for (const size of bench.quick ? [500, 2_000] : [500, 5_000, 50_000]) rows.push(...(await ofSize(size, bench)));
    return rows;
  },
};

/** The targets are set for the largest size: in a small one, what a process costs anyway outweighs the pods. */
const TARGETS = {
  cpu: { ratioAtMost: 1.3 },
  stall: { oursAtMost: 50 },
  peak: { oursAtMost: 200 },
};

interface Outcome {
  readonly size: number;
  readonly changes: number;
  readonly runs: Readonly<Record<'pages' | 'stream' | 'ours' | 'published', Runs>>;
}

async function ofSize(size: number, bench: Bench): Promise<readonly Row[]> {
  const pods = await bench.world.pods();
  bench.progress(`  making ${size} pods`);
  await pods.growTo(size);
  const changes = size * 0.4;
  const input = { access: await bench.world.access(), path: '/api/v1/pods' };
  const contender = (file: string) => ({
    module: import.meta.resolve(file),
    input,
    before: () => pods.unmark(),
    whenReady: () => pods.change(changes),
  });
  const contenders = {
    pages: contender('../limits/download-pages.ts'),
    stream: contender('../limits/download-stream.ts'),
    ours: { ...contender('./contenders/cache.ts'), nodeFlags: NODE_FLAGS },
    published: contender('./contenders/published-informer.ts'),
  };
  return rowsOf({ size, changes, runs: await race(contenders, bench) });
}

function rowsOf({ size, changes, runs: { pages, stream, ours, published } }: Outcome): readonly Row[] {
  const targets: Partial<typeof TARGETS> = size >= 50_000 ? TARGETS : {};
  const inPages = pages.median('list', CPU.of) < stream.median('list', CPU.of);
  const list = {
    what: `list ${size.toLocaleString('en')} pods`,
    phase: 'list',
    limit: inPages ? pages : stream,
    ours,
    published,
  };
  const watch = {
    what: `watch ${changes.toLocaleString('en')} changes`,
    phase: 'watch',
    limit: stream,
    ours,
    published,
  };
  return [
    compare(list, CPU, targets.cpu),
    compare(list, perItem(CPU, 'pod', size)),
    compare(list, WALL),
    compare(list, STALL, targets.stall),
    compare(list, PEAK, targets.peak),
    compare(list, SETTLED),
    compare(watch, perItem(CPU, 'change', changes), targets.cpu),
    compare(watch, STALL, targets.stall),
    compare(watch, PEAK, targets.peak),
  ];
}
