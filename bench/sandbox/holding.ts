/** What it holds: many objects, and many who watch them. */
import { median } from '../measure/figures.ts';
import type { Benchmark } from '../measure/group.ts';
import { figuresOf } from './child.ts';
import type { Held } from './contenders/hold.ts';

const OBJECTS = [1_000, 10_000, 100_000];
const WATCHERS = 50;

export const holding: Benchmark = {
  name: 'hold',
  about:
    `fills a sandbox with config maps of 200 bytes while ${WATCHERS} watchers read along, patches a tenth of them, and then patches as many again: ` +
    'what is resident must not grow with what has passed, only with what there is.',
  async run({ quick, rounds, progress }) {
    const rows = [];
    for (const objects of quick ? OBJECTS.slice(0, 1) : OBJECTS) {
      const runs: Held[] = [];
      for (let round = 0; round < rounds; round++)
        runs.push(await figuresOf<Held>('hold', `${objects}`, `${WATCHERS}`));
      const of = (pick: (held: Held) => number) => median(runs.map(pick));
      const [mb, laterMb, missed] = [of((held) => held.mb), of((held) => held.laterMb), of((held) => held.missed)];
      progress(`  ${objects}: ${mb.toFixed(0)} MB, later ${laterMb.toFixed(0)} MB, ${missed} events missed`);
      const what = `${objects.toLocaleString('en')} objects, ${WATCHERS} watchers`;
      rows.push({ what, figure: 'memory', unit: 'MB', ours: mb });
      rows.push({
        what,
        figure: 'memory for each object',
        unit: 'KB',
        ours: ((mb - of(({ emptyMb }) => emptyMb)) * 1024) / objects,
      });
      rows.push({
        what,
        figure: 'memory after as many changes again',
        unit: 'MB',
        limit: mb,
        ours: laterMb,
        ratio: laterMb / mb,
        target: { ratioAtMost: 1.1 },
      });
      rows.push({ what, figure: 'events that a watcher missed', unit: '', ours: missed, target: { oursAtMost: 0 } });
    }
    return rows;
  },
};
