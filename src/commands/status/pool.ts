/** `holdfast status pool`: how large and how full the pools are, what is done with them, and what needs a person. */
import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { inBytes } from '../../kit/in-words.ts';
import { visible } from '../../kit/visible.ts';
import { PV_POOLS } from '../../pool/contract.ts';
import { type PoolStanding, standingOf } from '../../pool/standing.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { progressOn } from '../progress.ts';
import { table } from '../table.ts';
import { visit } from '../visit.ts';

const flags = { ...clusterFlags, output: outputFlag };

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast status pool': 'all pools, their agents, and what needs a person',
    'holdfast status pool -o json': 'for a script',
  });
  runs(command, flags, terminal, async (options) => {
    const pools = await visit('status', options, terminal, async ({ client, signal }) => {
      const snapshot = new Snapshot();
      const view = snapshot.view(PV_POOLS, { project: standingOf });
      await snapshot.fill(client, { signal }, progressOn(terminal, systemClock));
      return [...view.values()].toSorted((a, b) => (a.pool < b.pool ? -1 : 1));
    });
    terminal.stdout.write(await formatted({ pools }, options.output, () => asText(pools)));
  });
};

export function asText(pools: readonly PoolStanding[]): string {
  const header = ['POOL', 'PVS', 'READY', 'PHASE', 'USED', 'OF', 'FULL IN', 'NOW'];
  const rows = pools.map(rowOf);
  const troubles = pools.flatMap(({ pool, troubles: all }) => all.map((why) => [pool, visible(why)]));
  return [
    `${pools.length} pools\n`,
    pools.length > 0 ? `\n${table([header, ...rows])}` : '',
    `\nWHAT NEEDS A PERSON\n${troubles.length > 0 ? table([['POOL', 'WHY'], ...troubles]) : 'none\n'}`,
  ].join('');
}

const rowOf = (standing: PoolStanding): readonly string[] => [
  standing.pool,
  `${standing.pvs}`,
  `${standing.ready}`,
  standing.phase,
  standing.usedPercent === undefined ? '-' : `${standing.usedPercent}%`,
  standing.capacityBytes === undefined ? '-' : inBytes(standing.capacityBytes),
  standing.timeToFull ?? '-',
  visible(standing.now) || '-',
];
