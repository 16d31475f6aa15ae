/** Reads that follow one another: what the client adds to each request, and how many connections it takes. */
import { CPU, compare, counted, perItem, WALL } from '../measure/compare.ts';
import type { Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import { makeConfigMaps } from '../world/config-maps.ts';

export const sequentialGets: Benchmark = {
  name: 'sequential gets',
  about:
    'reads one small object again and again. The limit is undici with a pool of one connection, parsing each answer.',
  async run(bench) {
    await makeConfigMaps(await bench.world.plane(), 1);
    const requests = bench.quick ? 200 : 2_000;
    const input = { access: await bench.world.access(), requests };
    const contender = (file: string) => ({ module: import.meta.resolve(file), input });
    const { limit, ours, published } = await race(
      {
        limit: contender('../limits/gets.ts'),
        ours: contender('./contenders/gets.ts'),
        published: contender('./contenders/published-gets.ts'),
      },
      bench,
    );
    const contest = { what: `${requests.toLocaleString('en')} GETs in a row`, phase: 'gets', limit, ours, published };
    return [
      compare(contest, perItem(CPU, 'request', requests), { ratioAtMost: 1.3 }),
      compare(contest, WALL, { ratioAtMost: 1.3 }),
      compare(contest, counted('connections'), { oursAtMost: 1 }),
    ];
  },
};
