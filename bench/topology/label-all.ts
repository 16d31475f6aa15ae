/** Every volume of a cluster labelled, from nothing: what the job costs beside the same reads and the same writes with nothing around them. */
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import { AS_STREAMS, IN_PAGES } from '../limits/read-and-label.ts';
import { type Contest, CPU, compare, PEAK, perItem, type Quantity, SETTLED, STALL, WALL } from '../measure/compare.ts';
import type { Runs } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { growth, memoryGrowth, type Sized } from '../measure/growth.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';
import { LABEL, READ } from './contenders/label-all.ts';

export const labelAll: Benchmark = {
  name: 'label all',
  about:
    'labels volumes that have no labels yet, each with its own bound claim and its own ready pod of about 8 KB, 30 of them on a node. ' +
    'The job is put together as its command does it, and runs with the flags of Node.js that the bundle has. The limit of reading is ' +
    'the cheaper, in CPU time, of two downloads of the same four collections that parse the JSON and drop it; the limit of labelling is ' +
    'the same number of the same PATCHes over undici with 32 connections, each answer parsed. A controller also hears of each of its ' +
    'writes, from its watch: for its CPU time, there are also the same PATCHes with a bare watch open, whose events are parsed. Writes are ' +
    'counted by the API server. CPU time per volume may not grow with the number of volumes, and time on the wall not more than that of ' +
    'the bare reads and PATCHes, which is how the server grows; nor may a further volume take more memory where there are more. The ' +
    'target for the rate of PATCHes is one for time on the wall; that for CPU time is our own. For comparison, measured elsewhere on this ' +
    'kind of machine and not in this run: the operator that this job replaces took 33 minutes for 1,000 volumes, with 10 requests for each.',
  async run(bench) {
    const outcomes: Outcome[] = [];
    for (const size of sizesOf(bench)) outcomes.push(await ofSize(size, bench));
    const each = { phase: ALL, item: 'volume' };
    return [...outcomes.flatMap(rowsOf), ...growth(outcomes, each), ...memoryGrowth(outcomes, each)];
  },
};

const sizesOf = ({ quick, largest }: Bench): readonly number[] =>
  (quick ? [200, 600] : [1_000, 10_000, 50_000]).filter((size) => size <= largest);

const ALL = 'all';
const NEAR_THE_LIMIT = { ratioAtMost: 1.3 };

interface Outcome extends Sized {
  /** The same as the limit, by somebody who hears of what was written. */
  readonly heard: Runs;
}

async function ofSize(size: number, bench: Bench): Promise<Outcome> {
  const volumes = await bench.world.volumes();
  bench.progress(`  making ${size} volumes with claims and pods`);
  await volumes.growTo(size);
  const input = { access: await bench.world.access(), volumes: size, connections: 32 };
  const contender = (file: string) => ({ module: import.meta.resolve(file), input, before: () => volumes.unlabel() });
  const bare = contender('../limits/read-and-label.ts');
  const { limit, heard, ours } = await race(
    {
      limit: bare,
      heard: { ...bare, input: { ...input, heard: true } },
      ours: { ...contender('./contenders/label-all.ts'), nodeFlags: NODE_FLAGS },
    },
    bench,
  );
  const labelled = ours.count(LABEL, 'labelled');
  if (labelled !== size) throw new Error(`the job said that it was done, and ${labelled} of ${size} are labelled`);
  const inPages = limit.median(IN_PAGES, CPU.of) < limit.median(AS_STREAMS, CPU.of);
  return {
    size,
    limit: limit
      .joining(READ, [inPages ? IN_PAGES : AS_STREAMS])
      .joining(ALL, [inPages ? IN_PAGES : AS_STREAMS, LABEL]),
    heard,
    ours: ours.joining(ALL, [READ, LABEL]),
  };
}

function rowsOf({ size, limit, heard, ours }: Outcome): readonly Row[] {
  const count = size.toLocaleString('en');
  const contest = (what: string, phase: string): Contest => ({ what: `${what} ${count} volumes`, phase, limit, ours });
  const read = contest('start and read', READ);
  const label = contest('label', LABEL);
  const all = contest('start, read and label', ALL);
  const heardOf = { ...contest('label, and hear of,', LABEL), limit: heard };
  const alone: Contest = { what: label.what, phase: LABEL, ours };
  return [
    compare(read, CPU),
    compare(read, WALL),
    compare(label, CPU, NEAR_THE_LIMIT),
    compare(heardOf, CPU),
    compare(label, perItem(CPU, 'volume', size)),
    compare(label, WALL, NEAR_THE_LIMIT),
    compare(label, STALL),
    compare(all, CPU, NEAR_THE_LIMIT),
    compare(all, WALL, NEAR_THE_LIMIT),
    compare(all, PEAK),
    compare(all, SETTLED),
    compare(alone, each('API requests', 'requests', size)),
    compare(alone, each('writes', 'writes', size), { oursAtMost: 1 }),
  ];
}

const each = (name: string, count: string, volumes: number): Quantity => ({
  name: `${name} per volume`,
  unit: '',
  of: ({ counts }) => (counts[count] ?? Number.NaN) / volumes,
});
