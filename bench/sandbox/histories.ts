/** How many hours of whole clusters can be simulated in a minute. */
import { availableParallelism } from 'node:os';
import { STORIES } from '../../src/commands/simulate/stories.ts';
import type { Benchmark } from '../measure/group.ts';
import { figuresOf } from './child.ts';
import type { Simulated } from './contenders/simulate.ts';

const PER_MINUTE = 100;

export const histories: Benchmark = {
  name: 'histories',
  about:
    'simulates one hour of a whole cluster with faults in it, again and again with other seeds, in as many processes as there are processors: ' +
    'each verdict takes two histories, one undisturbed. What is to be reached is a hundred histories in a minute, so at most 0.6 s for each.',
  async run({ quick, progress }) {
    const rows = [];
    for (const story of STORIES.keys()) {
      const seeds = quick ? 2 : 10;
      const began = performance.now();
      const all = await Promise.all(
        Array.from({ length: availableParallelism() }, (_, index) =>
          figuresOf<Simulated>('simulate', story, `${1 + index * seeds}`, `${seeds}`),
        ),
      );
      const played = all.reduce((sum, { histories: count }) => sum + count, 0);
      const failed = all.reduce((sum, { failed: count }) => sum + count, 0);
      const seconds = (performance.now() - began) / 1000 / played;
      progress(`  ${story}: ${seconds.toFixed(2)} s for each, ${failed} failed`);
      const what = story === 'together' ? 'an hour of all five together' : `an hour of ${story}`;
      const target = { oursAtMost: 60 / PER_MINUTE };
      rows.push({ what, figure: 'time on the wall', unit: 's', ours: seconds, target });
      rows.push({
        what,
        figure: 'seeds that fail',
        unit: '',
        ours: failed,
        target: { oursAtMost: 0 },
      });
    }
    return rows;
  },
};
