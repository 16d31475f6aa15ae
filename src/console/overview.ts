/** The answer to "is my data safe?", worked out from the rows that a caller may see. Pure. */
import type { Known } from '../kit/known.ts';
import { jobsOf } from './job-standings.ts';
import type { Forecast, Health, Need, NodeRow, Overview, PoolRow, Rpo, SyncRow, VolumeRow } from './model.ts';
import { counted, type Shown } from './shown.ts';
import { verdictOf } from './verdict.ts';

export type ShownRows<T> = ReadonlyMap<string, Shown<T>>;

/** What there is to work it out from: each part as rows, or why there are none. */
export interface Parts {
  readonly volumes: Known<ShownRows<VolumeRow>>;
  readonly nodes: Known<ShownRows<NodeRow>>;
  readonly pools: Known<ShownRows<PoolRow>>;
  readonly syncs: Known<ShownRows<SyncRow>>;
  /** What is needed by none of the rows: of pods that cannot be placed, and of what cannot be read. */
  readonly others: readonly Need[];
  readonly blind: readonly BlindSpot[];
  readonly isTopologyInUse: boolean;
}

/** What rows are worked out from besides, and what cannot be read of it. */
export interface BlindSpot {
  readonly what: 'claims' | 'pods' | 'reports';
  readonly why: string;
}

export function overviewOf(parts: Parts, now: Date): Overview {
  const known = [parts.volumes, parts.nodes, parts.pools, parts.syncs].flatMap((part) =>
    part.known ? [...(part.value as ShownRows<unknown>).values()] : [],
  );
  const needs = [...known.flatMap((each) => each.needs), ...parts.others, ...unexported(parts)].toSorted(byUrgency);
  const volumesByHealth = countsOf(parts.volumes);
  const jobs = jobsOf(parts);
  const rpo = rpoOf(parts.syncs);
  return {
    at: now.toISOString(),
    verdict: verdictOf(parts, needs, jobs),
    volumesByHealth,
    needs: needs.slice(0, MOST_NEEDS),
    activities: known.flatMap((each) => each.activities).slice(0, MOST_ACTIVITIES),
    jobs,
    forecasts: forecastsOf(parts.pools),
    ...(rpo && { rpo }),
  };
}

const MOST_NEEDS = 200;
const MOST_ACTIVITIES = 100;

const byUrgency = (one: Need, other: Need): number =>
  Number(other.severity === 'urgent') - Number(one.severity === 'urgent') || (one.id < other.id ? -1 : 1);

const NONE: Record<Health, number> = { well: 0, busy: 0, attention: 0, failed: 0, unknown: 0 };

function countsOf(volumes: Parts['volumes']): Readonly<Record<Health, number>> {
  const counts = { ...NONE };
  if (volumes.known) for (const { row } of volumes.value.values()) counts[row.health] += 1;
  return counts;
}

/** Volumes that are to be exported, and nobody to do it. A sync that does not says so itself. */
function unexported({ volumes, syncs }: Parts): readonly Need[] {
  if (!volumes.known || !syncs.known) return [];
  if ([...syncs.value.values()].some(({ row }) => row.mode === 'Protected')) return [];
  let count = 0;
  for (const { row } of volumes.value.values()) if (row.sync === 'to be exported') count += 1;
  if (count === 0) return [];
  return [
    {
      id: 'sync:unexported',
      job: 'sync',
      severity: 'soon',
      what: `${counted(count, 'volume is', 'volumes are')} labelled to be exported, and no sync exports anything here.`,
      remedy: 'Make a PersistentVolumeSync in mode Protected, or take the label away.',
      command: 'holdfast status sync',
    },
  ];
}

function forecastsOf(pools: Parts['pools']): readonly Forecast[] {
  if (!pools.known) return [];
  return [...pools.value.values()]
    .flatMap(({ row: { name, usedPercent, secondsToFull } }) =>
      usedPercent === undefined || secondsToFull === undefined ? [] : [{ pool: name, usedPercent, secondsToFull }],
    )
    .toSorted((one, other) => one.secondsToFull - other.secondsToFull);
}

/** Of the sync by which the most would be lost now. */
function rpoOf(syncs: Parts['syncs']): Rpo | undefined {
  if (!syncs.known) return undefined;
  const all = [...syncs.value.values()].flatMap(({ row: { name, mode, newest, rtoSeconds } }): readonly Rpo[] => {
    if (!newest) return [];
    const { exportedAt, confirmedAt } = newest;
    return [
      {
        sync: name,
        mode,
        exportedAt,
        ...(confirmedAt !== undefined && { confirmedAt }),
        ...(rtoSeconds !== undefined && { rtoSeconds }),
      },
    ];
  });
  const [worst] = all.toSorted((one, other) => knownAt(one) - knownAt(other));
  return worst;
}

const knownAt = ({ confirmedAt, exportedAt }: Rpo): number => Date.parse(confirmedAt ?? exportedAt);
