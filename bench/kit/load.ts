/** What a process pays for a client before it has sent anything. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { CPU, compare, PEAK } from '../measure/compare.ts';
import type { Contender } from '../measure/contender.ts';
import type { Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';

export const load: Benchmark = {
  name: 'load',
  about:
    'imports the client into a fresh process, from a bundle, as a program in an image would. The limit is undici alone, which ours ' +
    'stands on. Memory is that of the whole process.',
  async run(bench) {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    const clients = {
      limit: await bundled('undici', directory),
      ours: await bundled('../../src/kit/kube/connect.ts', directory),
      published: await bundled('@kubernetes/client-node', directory),
    };
    const runs = await race(clients, bench);
    await rm(directory, { recursive: true });
    const contest = { what: 'import the client', phase: 'load', ...runs };
    return [compare(contest, CPU), compare(contest, PEAK)];
  },
};

/** CommonJS packages in the bundle load Node's own modules with `require`. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

async function bundled(client: string, directory: string): Promise<Contender> {
  const file = join(directory, `${client.replaceAll(/\W/g, '-')}.mjs`);
  await build({
    entryPoints: [fileURLToPath(import.meta.resolve(client))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: BANNER },
  });
  return { module: import.meta.resolve('./contenders/load.ts'), input: { client: pathToFileURL(file).href } };
}
