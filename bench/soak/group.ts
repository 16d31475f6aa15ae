/** What is left of the jobs after a while on real clusters. */
import type { Group } from '../measure/group.ts';
import { soak } from './soak.ts';

export const group: Group = {
  name: 'soak',
  about:
    'All five jobs on real clusters under constant use, with API servers that are killed and histories that are forgotten: what they hold does not grow, ' +
    'nothing is missed, and nothing fails without a reason. In the chart, dotted lines are the disruptions. `--minutes` of `bench/run.ts` chooses the time, 20 by default.',
  rounds: 1,
  charts: { 'soak.svg': { about: 'What each process held and had open' } },
  benchmarks: [soak],
};
