/** How soon a sandbox is ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from '../../tools/bundle.ts';
import { median } from '../measure/figures.ts';
import type { Benchmark } from '../measure/group.ts';

const TARGET_MS = 300;

export const starting: Benchmark = {
  name: 'start',
  about:
    'starts `holdfast sandbox` from the bundle, and takes the time until it says that it is ready, which is when it answers. The limit is ' +
    '`holdfast version`, which does nothing but start.',
  async run({ rounds, quick, progress }) {
    const outfile = join(tmpdir(), `holdfast-bench-${process.pid}.mjs`);
    await bundle({ outfile });
    const limits: number[] = [];
    const ours: number[] = [];
    for (let start = 0; start < (quick ? 1 : 5) * rounds; start++) {
      limits.push(await untilLine([outfile, 'version'], /./));
      ours.push(await untilLine([outfile, 'sandbox'], /is ready at/));
    }
    const [limit, own] = [median(limits), median(ours)];
    progress(`  version ${limit.toFixed(0)} ms, sandbox ${own.toFixed(0)} ms`);
    const row = {
      what: 'holdfast sandbox',
      figure: 'time on the wall until it is ready',
      unit: 'ms',
      limit,
      ours: own,
    };
    return [{ ...row, ratio: own / limit, target: { oursAtMost: TARGET_MS } }];
  },
};

async function untilLine(args: readonly string[], wanted: RegExp): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) if (wanted.test(line)) break;
  const ms = performance.now() - started;
  child.kill('SIGTERM');
  await ended;
  return ms;
}
