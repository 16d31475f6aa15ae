/** `holdfast status sync`: what is carried where, how old and how complete it is, and what needs a person. */
import { systemClock } from '../../kit/clock/clock.ts';
import { inUnits } from '../../kit/in-words.ts';
import { visible } from '../../kit/visible.ts';
import { type Condition, PERSISTENT_VOLUME_SYNCS, type PersistentVolumeSync } from '../../sync/contract.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { formatted, outputFlag } from '../output.ts';
import { table } from '../table.ts';
import { visit } from '../visit.ts';

const flags = { ...clusterFlags, output: outputFlag };

export interface SyncStanding {
  readonly name: string;
  readonly mode: string;
  readonly cluster: string;
  readonly store: string;
  readonly volumes: number;
  readonly claims: number;
  readonly newestExport?: string;
  /** Since it was last known to be all there is. */
  readonly ageSeconds?: number;
  readonly rtoSeconds?: number;
  readonly lastDrill?: string;
  readonly troubles: readonly string[];
}

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast status sync': 'on either cluster',
    'holdfast status sync -o json': 'for a script',
  });
  runs(command, flags, terminal, async (options) => {
    const items = await visit('status', options, terminal, async ({ client, signal }) =>
      Array.fromAsync(client.pages(PERSISTENT_VOLUME_SYNCS, { signal })),
    );
    const syncs = items.flat().map((sync) => standingOf(sync, systemClock.now()));
    terminal.stdout.write(await formatted({ syncs }, options.output, () => asText(syncs)));
  });
};

export function standingOf({ metadata, spec, status = {} }: PersistentVolumeSync, now: Date): SyncStanding {
  const { export: exported, rtoSeconds, lastDrill, conditions = [] } = status;
  const confirmedAt = exported?.confirmedAt ?? exported?.exportedAt;
  return {
    name: metadata.name ?? '',
    mode: spec.mode,
    cluster: spec.protectedCluster,
    store: spec.cloudProvider,
    volumes: status.managedVolumeCount ?? 0,
    claims: status.managedClaimCount ?? 0,
    ...(exported && { newestExport: exported.key }),
    ...(confirmedAt && { ageSeconds: Math.max(0, Math.round((now.getTime() - Date.parse(confirmedAt)) / 1000)) }),
    ...(rtoSeconds !== undefined && { rtoSeconds }),
    ...(lastDrill && { lastDrill: lastDrill.at }),
    troubles: conditions.filter(isTrouble).map(({ reason, message }) => `${reason}: ${message}`),
  };
}

/** What says only that something else is not so is said by that. */
const isTrouble = ({ type, status }: Condition): boolean =>
  type === 'Exported' || type === 'InSync' ? status !== 'True' : false;

export function asText(syncs: readonly SyncStanding[]): string {
  if (syncs.length === 0) return 'There is no PersistentVolumeSync in this cluster.\n';
  const header = ['SYNC', 'MODE', 'CLUSTER', 'STORE', 'VOLUMES', 'CLAIMS', 'EXPORT AGE', 'RESTORE TAKES', 'LAST DRILL'];
  const troubles = syncs.flatMap(({ name, troubles: all }) => all.map((why) => [name, visible(why)]));
  return [
    table([header, ...syncs.map(rowOf)]),
    `\nWHAT NEEDS A PERSON\n${troubles.length > 0 ? table([['SYNC', 'WHY'], ...troubles]) : 'none\n'}`,
  ].join('');
}

const rowOf = ({ ageSeconds, rtoSeconds, lastDrill, ...each }: SyncStanding): readonly string[] => [
  each.name,
  each.mode,
  visible(each.cluster),
  visible(each.store),
  `${each.volumes}`,
  `${each.claims}`,
  ageSeconds === undefined ? '-' : inUnits(ageSeconds * 1000),
  rtoSeconds === undefined ? '-' : inUnits(rtoSeconds * 1000),
  lastDrill ?? '-',
];
