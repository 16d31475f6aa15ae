/** Writes side by side: the rate that the API server allows, and the kit's. */

import { manyPatches } from '../limits/many-patches.ts';
import { CPU, compare, counted, perItem, WALL } from '../measure/compare.ts';
import type { Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';

export const parallelPatches: Benchmark = {
  name: 'parallel patches',
  about:
    'changes a label of small objects, all requests handed over at once. The limit is undici over 32 connections of HTTP/1.1, ' +
    'parsing each answer.',
  async run(bench) {
    const requests = bench.quick ? 500 : 5_000;
    const input = await manyPatches(bench.world, requests);
    const contender = (file: string) => ({ module: import.meta.resolve(file), input });
    const { limit, ours } = await race(
      { limit: contender('../limits/patches.ts'), ours: contender('./contenders/patches.ts') },
      bench,
    );
    const contest = { what: `${requests.toLocaleString('en')} PATCHes side by side`, phase: 'patches', limit, ours };
    return [
      compare(contest, perItem(CPU, 'request', requests), { ratioAtMost: 1.3 }),
      compare(contest, WALL, { ratioAtMost: 1.3 }),
      compare(contest, counted('connections'), { oursAtMost: input.connections }),
    ];
  },
};
