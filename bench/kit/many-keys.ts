/** A burst of keys: what each costs must not depend on how many there are. */
import { CPU, PEAK, perItem, STALL } from '../measure/compare.ts';
import type { Runs } from '../measure/figures.ts';
import type { Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';

export const manyKeys: Benchmark = {
  name: 'many keys',
  about:
    'takes keys through queue and controller, with metrics, to a reconcile that does nothing. What stands as the limit of the ' +
    'largest burst is what a key costs in the one that is ten times smaller: the cost has to grow with the work and no faster.',
  async run(bench) {
    const most = bench.quick ? 10_000 : 100_000;
    const contender = (keys: number) => ({ module: import.meta.resolve('./contenders/keys.ts'), input: { keys } });
    const { tenth, all } = await race({ tenth: contender(most / 10), all: contender(most) }, bench);
    return [growth(most, tenth, all), figure(most, all, STALL), figure(most, all, PEAK)];
  },
};

const what = (keys: number): string => `${keys.toLocaleString('en')} keys at once`;

function growth(most: number, tenth: Runs, all: Runs): Row {
  const cost = (runs: Runs, keys: number) => runs.median('keys', perItem(CPU, 'key', keys).of);
  const [limit, ours] = [cost(tenth, most / 10), cost(all, most)];
  return {
    what: what(most),
    figure: 'CPU time per key',
    unit: 'µs',
    limit,
    ours,
    ratio: ours / limit,
    target: { ratioAtMost: 1.5 },
  };
}

const figure = (most: number, all: Runs, { name, unit, of }: typeof CPU): Row => ({
  what: what(most),
  figure: name,
  unit,
  ours: all.median('keys', of),
});
