/** What a process pays for a client before it has sent anything. */
import { CPU, compare, PEAK } from '../measure/compare.ts';
import type { Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';

export const load: Benchmark = {
  name: 'load',
  about:
    'imports the client into a fresh process. The limit is undici alone, which ours stands on. Memory is that of the whole process.',
  async run(bench) {
    const contender = (client: string) => ({
      module: import.meta.resolve('./contenders/load.ts'),
      input: { client: import.meta.resolve(client) },
    });
    const { limit, ours, published } = await race(
      {
        limit: contender('undici'),
        ours: contender('../../src/kit/kube/connect.ts'),
        published: contender('@kubernetes/client-node'),
      },
      bench,
    );
    const contest = { what: 'import the client', phase: 'load', limit, ours, published };
    return [compare(contest, CPU), compare(contest, PEAK)];
  },
};
