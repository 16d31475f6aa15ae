/** HTTP/1.1 beside HTTP/2, both bare: figures for a decision (docs/adr/0003-http-1.1.md), not a contest that the kit takes part in. */
import { manyPatches } from '../limits/many-patches.ts';
import { CPU, compare, perItem, WALL } from '../measure/compare.ts';
import type { Runs } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';

export const httpVersions: Benchmark = {
  name: 'HTTP versions',
  about:
    'sends the same bare requests over HTTP/1.1, which is ours, and over HTTP/2, which stands as the limit: PATCHes side by side over ' +
    '32 connections of HTTP/1.1 and over one and four of HTTP/2, and a list in pages of 500 over one connection of either.',
  async run(bench) {
    return [...(await patches(bench)), ...(await lists(bench))];
  },
};

async function patches(bench: Bench): Promise<readonly Row[]> {
  const requests = bench.quick ? 500 : 5_000;
  const input = await manyPatches(bench.world, requests);
  const over = (version: object) => ({
    module: import.meta.resolve('../limits/patches.ts'),
    input: { ...input, ...version },
  });
  const { http1, one, four } = await race(
    { http1: over({}), one: over({ http2: true, connections: 1 }), four: over({ http2: true, connections: 4 }) },
    bench,
  );
  const row = (http2: Runs, name: string, quantity: typeof CPU): Row =>
    compare(
      {
        what: `${requests.toLocaleString('en')} PATCHes, beside HTTP/2 ${name}`,
        phase: 'patches',
        limit: http2,
        ours: http1,
      },
      quantity,
    );
  const cpu = perItem(CPU, 'request', requests);
  return [row(one, 'on one', cpu), row(one, 'on one', WALL), row(four, 'on four', cpu), row(four, 'on four', WALL)];
}

async function lists(bench: Bench): Promise<readonly Row[]> {
  const pods = await bench.world.pods();
  await pods.growTo(bench.quick ? 2_000 : 20_000);
  const input = { access: await bench.world.access(), path: '/api/v1/pods' };
  const over = (http2: boolean) => ({
    module: import.meta.resolve('../limits/download-pages.ts'),
    input: { ...input, http2 },
  });
  const { http1, http2 } = await race({ http1: over(false), http2: over(true) }, bench);
  const what = `list ${pods.count.toLocaleString('en')} pods, beside HTTP/2`;
  const contest = { what, phase: 'list', limit: http2, ours: http1 };
  return [compare(contest, CPU), compare(contest, WALL)];
}
