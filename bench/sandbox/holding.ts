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
    `fills a sandbox with config maps of 200 bytes while ${WATCHERS} watchers read along, patches a tenth of them again and again until history is full, and then as often again: ` +
    'what the heap holds after a collection must not grow with what has passed, only with what there is. What is resident is told as well: ' +
    'V8 keeps pages that it has emptied only in part.',
  async run({ quick, rounds, progress }) {
    const rows = [];
    for (const objects of quick ? OBJECTS.slice(0, 1) : OBJECTS) {
      const runs: Held[] = [];
      for (let round = 0; round < rounds; round++)
        runs.push(await figuresOf<Held>('hold', `${objects}`, `${WATCHERS}`));
      const of = (pick: (held: Held) => number) => median(runs.map(pick));
      const [held, later] = [of(({ full }) => full.held), of((run) => run.later.held)];
      const [resident, residentLater] = [of(({ full }) => full.resident), of((run) => run.later.resident)];
      const missed = of((run) => run.missed);
      progress(
        `  ${objects}: ${held.toFixed(0)} MB, later ${later.toFixed(0)} MB (resident ${resident.toFixed(0)}, ${residentLater.toFixed(0)}), ${missed} events missed`,
      );
      const what = `${objects.toLocaleString('en')} objects, ${WATCHERS} watchers`;
      const each = ((held - of(({ empty }) => empty.held)) * 1024) / objects;
      rows.push({ what, figure: 'memory that is held', unit: 'MB', ours: held });
      rows.push({ what, figure: 'memory that is held for each object', unit: 'KB', ours: each });
      rows.push({
        what,
        figure: 'memory that is held after as many changes again',
        unit: 'MB',
        limit: held,
        ours: later,
        ratio: later / held,
        target: { ratioAtMost: 1.1 },
      });
      rows.push({ what, figure: 'resident memory', unit: 'MB', ours: resident });
      rows.push({
        what,
        figure: 'resident memory after as many changes again',
        unit: 'MB',
        limit: resident,
        ours: residentLater,
        ratio: residentLater / resident,
      });
      rows.push({ what, figure: 'events that a watcher missed', unit: '', ours: missed, target: { oursAtMost: 0 } });
    }
    return rows;
  },
};
