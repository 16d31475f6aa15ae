/** The answer to "is my data safe?", worked out from the rows that a caller may see. Pure. */
import type { Known } from '../kit/known.ts';
import type {
  Forecast,
  Health,
  Job,
  JobStanding,
  Need,
  NodeRow,
  Overview,
  PoolRow,
  Rpo,
  SyncRow,
  Verdict,
  VolumeRow,
} from './model.ts';
import { counted, type Shown, sentence, worstOf } from './shown.ts';

type ShownRows<T> = ReadonlyMap<string, Shown<T>>;

/** What there is to work it out from: each part as rows, or why there are none. */
export interface Parts {
  readonly volumes: Known<ShownRows<VolumeRow>>;
  readonly nodes: Known<ShownRows<NodeRow>>;
  readonly pools: Known<ShownRows<PoolRow>>;
  readonly syncs: Known<ShownRows<SyncRow>>;
  /** What is needed by none of the rows: of pods that cannot be placed, and of what cannot be read. */
  readonly others: readonly Need[];
  readonly isTopologyInUse: boolean;
}

export function overviewOf(parts: Parts, now: Date): Overview {
  const known = [parts.volumes, parts.nodes, parts.pools, parts.syncs].flatMap((part) =>
    part.known ? [...(part.value as ShownRows<unknown>).values()] : [],
  );
  const needs = [...known.flatMap((each) => each.needs), ...parts.others].toSorted(byUrgency);
  const volumesByHealth = countsOf(parts.volumes);
  const rpo = rpoOf(parts.syncs);
  return {
    at: now.toISOString(),
    verdict: verdictOf(parts, volumesByHealth, needs),
    volumesByHealth,
    needs: needs.slice(0, MOST_NEEDS),
    activities: known.flatMap((each) => each.activities).slice(0, MOST_ACTIVITIES),
    jobs: jobsOf(parts),
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

function verdictOf(parts: Parts, counts: Readonly<Record<Health, number>>, needs: readonly Need[]): Verdict {
  const { volumes } = parts;
  if (!volumes.known) return { health: 'unknown', sentence: sentence(`nobody can say: ${volumes.why}`) };
  const urgent = needs.filter(({ severity }) => severity === 'urgent').length;
  if (counts.failed > 0 || urgent > 0)
    return {
      health: counts.failed > 0 ? 'failed' : 'attention',
      sentence: `${counted(Math.max(urgent, 1), 'thing needs', 'things need')} you now.`,
    };
  if (needs.length > 0 || counts.attention > 0)
    return {
      health: 'attention',
      sentence:
        needs.length > 1
          ? `${needs.length} things need you, but none of them at once.`
          : '1 thing needs you, but not at once.',
    };
  const blind = blindSpotsOf(parts);
  if (counts.unknown > 0 || blind.length > 0)
    return {
      health: 'unknown',
      sentence:
        counts.unknown > 0
          ? `Nobody can say how ${counted(counts.unknown, 'volume is', 'volumes are')}.`
          : sentence(`what is seen is well, but ${blind[0]}`),
    };
  if (volumes.value.size === 0) return { health: 'well', sentence: 'There are no volumes yet.' };
  const busy = counts.busy > 0 ? `, ${counts.busy} of them ${counts.busy === 1 ? 'is' : 'are'} being worked on` : '';
  if (volumes.value.size === 1)
    return {
      health: 'well',
      sentence: counts.busy > 0 ? 'The only volume is being worked on.' : 'The only volume is well.',
    };
  return { health: 'well', sentence: `All ${counted(volumes.value.size, 'volume')} are well${busy}.` };
}

const blindSpotsOf = ({ nodes, pools, syncs }: Parts): readonly string[] =>
  [nodes, pools, syncs].flatMap((part) => (part.known ? [] : [part.why]));

function jobsOf(parts: Parts): readonly JobStanding[] {
  return [topologyOf(parts), devicesOf(parts), lvmOf(parts), poolOf(parts), syncOf(parts)];
}

const standing = (job: Job, health: Health, text: string): JobStanding => ({ job, health, sentence: text });
const unknown = (job: Job, why: string): JobStanding => standing(job, 'unknown', why);
const NOT_IN_USE = 'not in use here';

function topologyOf({ volumes, isTopologyInUse, others }: Parts): JobStanding {
  if (!volumes.known) return unknown('topology', volumes.why);
  if (!isTopologyInUse) return standing('topology', 'well', NOT_IN_USE);
  const shown = [...volumes.value.values()];
  const labelled = shown.filter(({ row }) => row.zone !== undefined).length;
  const troubled = [...shown.flatMap(({ needs }) => needs), ...others].filter(({ job }) => job === 'topology').length;
  const trouble = troubled > 0 ? `, ${counted(troubled, 'problem')}` : '';
  return standing(
    'topology',
    troubled > 0 ? 'attention' : 'well',
    `${counted(labelled, 'volume')} with a zone${trouble}`,
  );
}

function devicesOf({ nodes }: Parts): JobStanding {
  if (!nodes.known) return unknown('devices', nodes.why);
  const devices = [...nodes.value.values()].flatMap(({ row }) => row.devices);
  if (devices.length === 0) return standing('devices', 'well', NOT_IN_USE);
  const counts = tally(devices.map(({ state }) => state));
  const health = worstOf(
    devices.map(({ state }) =>
      state === 'failed' ? 'failed' : state === 'refused' ? 'attention' : state === 'wiping' ? 'busy' : 'well',
    ),
  );
  return standing('devices', health, `${counted(devices.length, 'device')}: ${counts}`);
}

function lvmOf({ nodes }: Parts): JobStanding {
  if (!nodes.known) return unknown('lvm', nodes.why);
  const rows = [...nodes.value.values()].map(({ row }) => row);
  const groups = rows.flatMap((row) => row.groups);
  const volumes = rows.flatMap((row) => [...row.groups.flatMap((group) => group.volumes), ...(row.otherVolumes ?? [])]);
  if (groups.length === 0 && volumes.length === 0) return standing('lvm', 'well', NOT_IN_USE);
  const health = worstOf(
    volumes.map(({ state }) =>
      state === 'ready'
        ? 'well'
        : state === 'failed'
          ? 'failed'
          : state === 'refused'
            ? 'attention'
            : state === 'unreported'
              ? 'unknown'
              : 'busy',
    ),
  );
  const inGroups = `${counted(volumes.length, 'logical volume')} in ${counted(groups.length, 'volume group')}`;
  return standing(
    'lvm',
    health,
    volumes.length > 0 ? `${inGroups}: ${tally(volumes.map(({ state }) => state))}` : inGroups,
  );
}

function poolOf({ pools }: Parts): JobStanding {
  if (!pools.known) return unknown('pool', pools.why);
  const rows = [...pools.value.values()].map(({ row }) => row);
  if (rows.length === 0) return standing('pool', 'well', NOT_IN_USE);
  const agents = rows.reduce((sum, { ready }) => sum + ready, 0);
  const of = rows.reduce((sum, { wanted }) => sum + wanted, 0);
  return standing(
    'pool',
    worstOf(rows.map(({ health }) => health)),
    `${counted(rows.length, 'pool')}, ${agents} of ${of} agents ready`,
  );
}

function syncOf({ syncs }: Parts): JobStanding {
  if (!syncs.known) return unknown('sync', syncs.why);
  const rows = [...syncs.value.values()].map(({ row }) => row);
  if (rows.length === 0) return standing('sync', 'well', NOT_IN_USE);
  const volumes = rows.reduce((sum, row) => sum + row.volumes, 0);
  const what = rows.some(({ mode }) => mode === 'Recovery') ? 'restored' : 'exported';
  return standing('sync', worstOf(rows.map(({ health }) => health)), `${counted(volumes, 'volume')} ${what}`);
}

/** Such as `2 bound, 1 refused`, the most first. */
function tally(states: readonly string[]): string {
  const counts = [...Map.groupBy(states, (state) => state)].map(([state, all]) => [state, all.length] as const);
  return counts
    .toSorted(([, one], [, other]) => other - one)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}

function forecastsOf(pools: Parts['pools']): readonly Forecast[] {
  if (!pools.known) return [];
  return [...pools.value.values()]
    .flatMap(({ row: { name, usedPercent, secondsToFull } }) =>
      usedPercent === undefined || secondsToFull === undefined ? [] : [{ pool: name, usedPercent, secondsToFull }],
    )
    .toSorted((one, other) => one.secondsToFull - other.secondsToFull);
}

/** Of the first that has exported anything; there is one sync that counts in a cluster. */
function rpoOf(syncs: Parts['syncs']): Rpo | undefined {
  if (!syncs.known) return undefined;
  for (const { row } of syncs.value.values()) {
    const { name, mode, newest, rtoSeconds } = row;
    if (!newest) continue;
    const { exportedAt, confirmedAt } = newest;
    return {
      sync: name,
      mode,
      exportedAt,
      ...(confirmedAt !== undefined && { confirmedAt }),
      ...(rtoSeconds !== undefined && { rtoSeconds }),
    };
  }
  return undefined;
}
