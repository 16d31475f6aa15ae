/** What a write costs. */
import { median } from '../measure/figures.ts';
import type { Benchmark } from '../measure/group.ts';
import { figuresOf } from './child.ts';
import type { Written } from './contenders/write.ts';

const COUNTS = [1_000, 10_000, 100_000];
const TARGET_US = 200;

export const writing: Benchmark = {
  name: 'write',
  about:
    'creates volumes in a fresh process, one after the other, and patches each of them once: by a client of the kit over the transport in ' +
    'process, which is what jobs use, with JSON, admission and the owners of fields. At three sizes, so that growth is seen.',
  async run({ rounds, quick, progress }) {
    const rows = [];
    for (const count of quick ? COUNTS.slice(0, 1) : COUNTS) {
      const runs: Written[] = [];
      for (let round = 0; round < rounds; round++) runs.push(await figuresOf<Written>('write', `${count}`));
      const create = median(runs.map(({ createUs }) => createUs));
      const patch = median(runs.map(({ patchUs }) => patchUs));
      progress(`  ${count}: create ${create.toFixed(0)} µs, patch ${patch.toFixed(0)} µs`);
      const what = `${count.toLocaleString('en')} volumes`;
      const target = { oursAtMost: TARGET_US };
      rows.push({ what, figure: 'time for each that is created', unit: 'µs', ours: create, target });
      rows.push({ what, figure: 'time for each that is patched', unit: 'µs', ours: patch });
    }
    return rows;
  },
};
