/** A burst of keys: what each costs must not depend on how many there are. */
import { CPU, PEAK, perItem, STALL } from '../measure/compare.ts';
import type { Runs } from '../measure/figures.ts';
import type { Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';

export const manyKeys: Benchmark = {
  name: 'many keys',
  about:
    'takes keys through queue and controller, with metrics, to a reconcile that does nothing. What stands as the limit of a burst is ' +
    'what a key costs in one that is ten times smaller: the cost has to grow with the work and no faster.',
  async run(bench) {
    const most = bench.quick ? 10_000 : 100_000;
    const contender = (keys: number) => ({ module: import.meta.resolve('./contenders/keys.ts'), input: { keys } });
    const { few, more, all } = await race(
      { few: contender(most / 100), more: contender(most / 10), all: contender(most) },
      bench,
    );
    return [growth(most / 10, few, more), growth(most, more, all), figure(most, all, STALL), figure(most, all, PEAK)];
  },
};

const what = (keys: number): string => `${keys.toLocaleString('en')} keys at once`;

function growth(keys: number, fewer: Runs, all: Runs): Row {
  const cost = (runs: Runs, count: number) => runs.median('keys', perItem(CPU, 'key', count).of);
  const [limit, ours] = [cost(fewer, keys / 10), cost(all, keys)];
  const row = { what: what(keys), figure: 'CPU time per key', unit: 'µs', limit, ours, ratio: ours / limit };
  return { ...row, target: { ratioAtMost: 1.5 } };
}

const figure = (most: number, all: Runs, { name, unit, of }: typeof CPU): Row => ({
  what: what(most),
  figure: name,
  unit,
  ours: all.median('keys', of),
});
