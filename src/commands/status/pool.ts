/** `holdfast status pool`: how large and how full the pools are, what is done with them, and what needs a person. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { inBytes } from '../../kit/in-words.ts';
import { PV_POOLS } from '../../pool/contract.ts';
import { type PoolStanding, standingOf } from '../../pool/standing.ts';
import { remedyFor } from '../explain/codes.ts';
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { type Page, type Text, toned, wide } from '../page/page.ts';
import { progressOn } from '../progress.ts';
import { counted } from '../reports/text.ts';
import { exitCodeFlag, show, showFlags } from '../show/show.ts';
import { type JobStatus, type Summary, summaryOf, verdictOn } from './summary.ts';

const flags = { ...showFlags, ...exitCodeFlag };

interface PoolsStatus {
  readonly pools: readonly PoolStanding[];
}

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast status pool': 'all pools, their agents, and what needs a person',
    'holdfast status pool -o json': 'for a script',
  });
  const showing = {
    name: 'status',
    look: (visitor: Parameters<typeof pool.look>[0], quiet: typeof terminal) => pool.look(visitor, NOWHERE, quiet),
    page: statusPage,
    verdict: (status: PoolsStatus) => verdictOn([pool.summary(status)]),
  };
  runs(command, flags, terminal, (options) => show(showing, options, terminal));
};

const NOWHERE = { nodes: [] };

export const pool: JobStatus<PoolsStatus> = {
  job: 'pool',
  async look({ client, signal }, _where, terminal) {
    const snapshot = new Snapshot();
    const view = snapshot.view(PV_POOLS, { project: standingOf });
    await snapshot.fill(client, { signal }, progressOn(terminal, systemClock));
    return { pools: [...view.values()].toSorted((a, b) => (a.pool < b.pool ? -1 : 1)) };
  },
  page: statusPage,
  summary,
};

function summary({ pools }: PoolsStatus): Summary {
  const needs = pools.flatMap(({ pool: name, troubles, code }) =>
    troubles.map((why) => ({
      job: 'pool' as const,
      what: `${name}: ${why}`,
      remedy: remedyFor('pool', code) ?? 'See that holdfast pool runs.',
      code,
    })),
  );
  const ready = pools.filter(({ phase }) => phase === 'Ready').length;
  const now = pools.flatMap(({ pool: about, now: doing }) => (doing === '' ? [] : [`${about}: ${doing}`]));
  return summaryOf('pool', `${counted(pools.length, 'pool')}, ${ready} ready`, needs, now);
}

export function statusPage({ pools }: PoolsStatus): Page {
  const troubles = pools.flatMap(({ pool: name, code, troubles: all }) => all.map((why) => [name, code, why]));
  return [
    { sentences: [counted(pools.length, 'pool')] },
    {
      columns: ['POOL', 'PVS', 'READY', 'PHASE', 'USED', 'OF', 'FULL IN', wide('REPLICAS'), wide('STATES'), 'NOW'],
      rows: pools.map(rowOf),
    },
    { title: 'NEEDS A PERSON', columns: ['POOL', wide('CODE'), 'WHY'], rows: troubles },
  ];
}

const rowOf = (standing: PoolStanding): readonly (Text | undefined)[] => [
  standing.pool,
  `${standing.pvs}`,
  `${standing.ready}`,
  toned(standing.phase, standing.phase === 'Ready' ? 'good' : 'warn'),
  standing.usedPercent === undefined ? undefined : `${standing.usedPercent}%`,
  standing.capacityBytes === undefined ? undefined : inBytes(standing.capacityBytes),
  standing.timeToFull,
  standing.replicas === undefined ? undefined : `${standing.replicas}`,
  Object.entries(standing.states)
    .map(([state, count]) => `${count} ${state}`)
    .join(', '),
  standing.now,
];
