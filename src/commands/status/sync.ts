/** `holdfast status sync`: what is carried where, how old and how complete it is, and what needs a person. */
import { inUnits } from '../../kit/in-words.ts';
import { type Condition, PERSISTENT_VOLUME_SYNCS, type PersistentVolumeSync } from '../../sync/contract.ts';
import { remedyFor } from '../explain/codes.ts';
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { type Page, type Text, toned, wide } from '../page/page.ts';
import { counted } from '../reports/text.ts';
import { exitCodeFlag, show, showFlags } from '../show/show.ts';
import { absent, type JobStatus, type Summary, summaryOf, verdictOn } from './summary.ts';

const flags = { ...showFlags, ...exitCodeFlag };

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
  readonly epoch?: number;
  /** Whether the store keeps two writers apart. */
  readonly fenced?: boolean;
  readonly troubles: readonly string[];
  /** Of the first of them. */
  readonly code?: string;
}

interface SyncsStatus {
  readonly syncs: readonly SyncStanding[];
}

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast status sync': 'on either cluster',
    'holdfast status sync -o json': 'for a script',
  });
  const showing = {
    name: 'status',
    look: (visitor: Parameters<typeof sync.look>[0], quiet: typeof terminal) => sync.look(visitor, NOWHERE, quiet),
    page: statusPage,
    verdict: (status: SyncsStatus) => verdictOn([sync.summary(status)]),
  };
  runs(command, flags, terminal, (options) => show(showing, options, terminal));
};

const NOWHERE = { nodes: [] };

export const sync: JobStatus<SyncsStatus> = {
  job: 'sync',
  async look({ client, signal, now }) {
    const pages = await Array.fromAsync(client.pages(PERSISTENT_VOLUME_SYNCS, { signal }));
    return { syncs: pages.flat().map((each) => standingOf(each, now())) };
  },
  page: statusPage,
  summary,
};

function summary({ syncs }: SyncsStatus): Summary {
  const [first] = syncs;
  if (!first) return absent('sync', 'there is no PersistentVolumeSync in this cluster');
  const needs = syncs.flatMap(({ name, troubles, code }) =>
    troubles.map((why) => {
      const remedy = remedyFor('sync', code) ?? 'See holdfast status sync.';
      return { job: 'sync' as const, what: `${name}: ${why}`, remedy, code };
    }),
  );
  const age = first.ageSeconds === undefined ? 'nothing exported yet' : `as of ${inUnits(first.ageSeconds * 1000)} ago`;
  const what = `${counted(first.volumes, 'volume')} and ${counted(first.claims, 'claim')} of ${first.cluster}`;
  return summaryOf('sync', `${first.mode}: ${what}, ${age}`, needs);
}

export function standingOf({ metadata, spec, status = {} }: PersistentVolumeSync, now: Date): SyncStanding {
  const { export: exported, rtoSeconds, lastDrill, conditions = [] } = status;
  const troubles = conditions.filter(isTrouble);
  const [first] = troubles;
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
    ...(exported?.epoch !== undefined && { epoch: exported.epoch }),
    ...(status.fenced !== undefined && { fenced: status.fenced }),
    troubles: troubles.map(({ reason, message }) => `${reason}: ${message}`),
    ...(first && { code: first.reason }),
  };
}

/** What says only that something else is not so is said by that. */
const isTrouble = ({ type, status }: Condition): boolean =>
  type === 'Exported' || type === 'InSync' ? status !== 'True' : false;

export function statusPage({ syncs }: SyncsStatus): Page {
  if (syncs.length === 0) return [{ sentences: ['There is no PersistentVolumeSync in this cluster.'] }];
  const columns = [
    ...['SYNC', 'MODE', 'CLUSTER', 'STORE', 'VOLUMES', 'CLAIMS', 'EXPORT AGE', 'RESTORE TAKES', 'LAST DRILL'],
    ...['EPOCH', 'FENCED', 'NEWEST EXPORT'].map(wide),
  ];
  const troubles = syncs.flatMap(({ name, troubles: all }) => all.map((why) => [name, toned(why, 'bad')]));
  return [
    { columns, rows: syncs.map(rowOf) },
    { title: 'NEEDS A PERSON', columns: ['SYNC', 'WHY'], rows: troubles },
  ];
}

const rowOf = ({ ageSeconds, rtoSeconds, ...each }: SyncStanding): readonly (Text | undefined)[] => [
  each.name,
  each.mode,
  each.cluster,
  each.store,
  `${each.volumes}`,
  `${each.claims}`,
  ageSeconds === undefined ? undefined : inUnits(ageSeconds * 1000),
  rtoSeconds === undefined ? undefined : inUnits(rtoSeconds * 1000),
  each.lastDrill,
  each.epoch === undefined ? undefined : `${each.epoch}`,
  each.fenced === undefined ? undefined : each.fenced ? 'yes' : 'no',
  each.newestExport,
];
