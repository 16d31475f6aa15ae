/** What the pools would do next: scale, drain, roll out, grow. Worked out from outside, without asking the agents. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { lookFromOutside } from '../../pool/look.ts';
import { PoolMemory } from '../../pool/memory.ts';
import { type PlannedPool, plannedPool } from '../../pool/planned.ts';
import { poolViews } from '../../pool/views.ts';
import { type Page, type Text, toned, wide } from '../page/page.ts';
import { progressOn } from '../progress.ts';
import { counted } from '../reports/text.ts';
import type { JobPlan } from './job-plan.ts';

export interface PoolsPlan {
  readonly pools: readonly PlannedPool[];
}

export const pool: JobPlan<PoolsPlan> = {
  job: 'pool',
  async look({ client, signal }, _where, terminal) {
    const clock = systemClock;
    const snapshot = new Snapshot();
    const views = poolViews(snapshot);
    await snapshot.fill(client, { signal }, progressOn(terminal, clock));
    const pools: PlannedPool[] = [];
    for (const each of views.pools.values()) {
      const memory = new PoolMemory(each.metadata.uid ?? '');
      pools.push(plannedPool(await lookFromOutside({ views, client, clock }, each, memory, signal)));
    }
    return { pools: pools.toSorted((a, b) => (a.pool < b.pool ? -1 : 1)) };
  },
  page: planPage,
};

function planPage({ pools }: PoolsPlan): Page {
  const restless = pools.filter(({ steps }) => steps.length > 0);
  const rows = restless.flatMap(({ pool: name, now, wanted, steps }) =>
    steps.map(({ does, what, code }) => [name, `${now}`, `${wanted}`, does, code, inTone(does, what)]),
  );
  const stays = pools.length - restless.length;
  return [
    { columns: ['POOL', 'PVS', 'WANTED', wide('ACTION'), wide('CODE'), 'PLAN'], rows },
    { sentences: [`${counted(restless.length, 'pool')} with something to do; ${stays} as they should be.`] },
  ];
}

const inTone = (does: PlannedPool['steps'][number]['does'], what: string): Text =>
  does === 'refuse' ? toned(what, 'bad') : does === 'wait' ? toned(what, 'warn') : what;
