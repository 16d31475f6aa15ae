/** Writes side by side: the rate that the API server allows, the kit's, and what HTTP/2 would make of it. */
import { CPU, compare, counted, perItem, WALL } from '../measure/compare.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import { makeConfigMaps } from '../world/config-maps.ts';

const CONNECTIONS = 32;
const OBJECTS = 500;

export const parallelPatches: Benchmark = {
  name: 'parallel patches',
  about:
    'changes a label of small objects, all requests handed over at once. The limit is undici over 32 connections of HTTP/1.1, ' +
    'parsing each answer; beside it the same over HTTP/2, on one connection and on four.',
  async run(bench) {
    await makeConfigMaps(await bench.world.plane(), OBJECTS);
    const requests = bench.quick ? 500 : 5_000;
    const runs = await race(await contenders(bench, requests), bench);
    const what = `${requests.toLocaleString('en')} PATCHes side by side`;
    const contest = { what, phase: 'patches', limit: runs.limit, ours: runs.ours };
    const cpu = perItem(CPU, 'request', requests);
    const over = (name: string, http2: typeof runs.http2) => ({
      ...contest,
      what: `${what}, bare, ${name}`,
      ours: http2,
    });
    return [
      compare(contest, cpu, { ratioAtMost: 1.3 }),
      compare(contest, WALL, { ratioAtMost: 1.3 }),
      compare(contest, counted('connections'), { oursAtMost: CONNECTIONS }),
      compare(over('HTTP/2 on one connection', runs.http2), cpu),
      compare(over('HTTP/2 on one connection', runs.http2), WALL),
      compare(over('HTTP/2 on four', runs.http2OnFour), cpu),
      compare(over('HTTP/2 on four', runs.http2OnFour), WALL),
    ];
  },
};

async function contenders({ world }: Bench, requests: number) {
  const input = { access: await world.access(), objects: OBJECTS, requests, connections: CONNECTIONS };
  const bare = import.meta.resolve('../limits/patches.ts');
  return {
    limit: { module: bare, input },
    ours: { module: import.meta.resolve('./contenders/patches.ts'), input },
    http2: { module: bare, input: { ...input, connections: 1, http2: true } },
    http2OnFour: { module: bare, input: { ...input, connections: 4, http2: true } },
  };
}
