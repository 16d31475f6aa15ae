/** How long the program takes to start. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../tools/bundle.ts';
import { median } from '../measure/figures.ts';
import type { Benchmark } from '../measure/group.ts';

export const start: Benchmark = {
  name: 'start',
  about: 'starts `holdfast version` from the bundle. The limit is Node.js that runs nothing.',
  async run({ quick, rounds }) {
    const outfile = join(tmpdir(), `holdfast-bench-${process.pid}.mjs`);
    await bundle({ outfile });
    const starts = quick ? 3 : 20;
    const nothing: number[] = [];
    const version: number[] = [];
    for (let round = 0; round < rounds; round++) {
      nothing.push(cpuMs(['-e', '0'], starts));
      version.push(cpuMs([outfile, 'version'], starts));
    }
    const [limit, ours] = [median(nothing), median(version)];
    const row = { what: 'holdfast version', figure: 'CPU time', unit: 'ms', limit, ours, ratio: ours / limit };
    return [{ ...row, target: { oursAtMost: 150 } }];
  },
};

function cpuMs(args: readonly string[], starts: number): number {
  const before = cpuOfChildrenMs();
  for (let i = 0; i < starts; i++) {
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`node ${args.join(' ')} failed: ${stderr}`);
  }
  return (cpuOfChildrenMs() - before) / starts;
}

/** The kernel counts the time of children that have ended in ticks of 10 ms: enough when many are added up. */
function cpuOfChildrenMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
