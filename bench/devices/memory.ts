/** What the engine holds in memory while it wipes. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { WIPE_METHODS, type WipeMethod } from '../../src/devices/contract.ts';
import { NODE_FLAGS } from '../../tools/bundle/pack.ts';
import { compare, PEAK, STALL } from '../measure/compare.ts';
import { type Run, Runs } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import type { Row } from '../measure/row.ts';
import { READ_BACK, WIPE, type Wipe } from './contenders/wipe.ts';
import { type Disks, withDisks } from './disks.ts';

const MIB = 2 ** 20;

export const memory: Benchmark = {
  name: 'memory',
  about:
    'wipes 8 devices of 2 GiB at once, every byte written where there is something to write, and reads a sample back, in a process that ' +
    'has nothing but the engine in it, bundled and with the flags of Node.js that the bundle has. Short wipes take less: ' +
    'the young generation of V8 grows for some seconds. The limit is a process that only loads the same code.',
  run: (bench) =>
    withDisks(8, (bench.quick ? 64 : 2048) * MIB, async (disks, directory) => {
      await disks.fill();
      const program = await bundled(directory);
      const rows: Row[] = [];
      for (const method of WIPE_METHODS)
        rows.push(...(await whileWiping(method, { program, directory, disks }, bench)));
      return rows;
    }),
};

interface Place {
  readonly program: string;
  readonly directory: string;
  readonly disks: Disks;
}

async function whileWiping(method: WipeMethod, place: Place, { rounds, progress }: Bench): Promise<readonly Row[]> {
  const { program, directory, disks } = place;
  const [idle, wiping]: [Run[], Run[]] = [[], []];
  const order: Wipe = { paths: disks.paths, method, isWritten: true, directory };
  for (let round = 1; round <= rounds; round++) {
    idle.push(await runAlone(program, { ...order, paths: [] }));
    wiping.push(await runAlone(program, order));
    await disks.allocate();
    progress(`  round ${round} of ${rounds}: ${method}: ${wiping.at(-1)?.[WIPE]?.peakMb.toFixed(0)} MB`);
  }
  const contest = { what: `${method}, 8 devices at once`, limit: new Runs(idle), ours: new Runs(wiping) };
  const target = { oursAtMost: 100 };
  return [
    compare({ ...contest, phase: WIPE }, PEAK, target),
    compare({ ...contest, phase: READ_BACK }, { ...PEAK, name: 'peak memory while reading back' }, target),
    compare({ what: contest.what, ours: contest.ours, phase: WIPE }, STALL),
  ];
}

async function runAlone(program: string, order: Wipe): Promise<Run> {
  const { stdout } = await promisify(execFile)(process.execPath, [...NODE_FLAGS, program, JSON.stringify(order)]);
  return JSON.parse(stdout) as Run;
}

/** Node.js takes tens of megabytes to read TypeScript, which the product does not have to. */
async function bundled(directory: string): Promise<string> {
  const outfile = join(directory, 'wipe.mjs');
  const entry = fileURLToPath(import.meta.resolve('./contenders/wipe-alone.ts'));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  return outfile;
}
