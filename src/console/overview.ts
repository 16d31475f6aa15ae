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
import { deviceHealth, logicalHealth } from './nodes.ts';
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

/** Never better than the worst of what is seen, and never well while there is something that cannot be seen. */
function verdictOf(parts: Parts, needs: readonly Need[], jobs: readonly JobStanding[]): Verdict {
  const { volumes } = parts;
  if (!volumes.known) return { health: 'unknown', sentence: sentence(`nobody can say: ${volumes.why}`) };
  const healths = healthsOf(parts, jobs);
  const worst = worstOf([...healths.values()].flatMap((each) => [...each]));
  const urgent = needs.filter(({ severity }) => severity === 'urgent').length;
  const unseen = unseenIn(parts);
  const but = unseen === undefined ? '' : ` ${sentence(unseen)}`;
  if (worst === 'failed' || urgent > 0)
    return {
      health: worst === 'failed' ? 'failed' : 'attention',
      sentence: `${counted(Math.max(urgent, 1), 'thing needs', 'things need')} you now.${but}`,
    };
  if (needs.length > 0 || worst === 'attention')
    return { health: 'attention', sentence: `${notAtOnce(Math.max(needs.length, 1))}${but}` };
  if (worst === 'unknown' || unseen !== undefined) return { health: 'unknown', sentence: unknownIn(healths, unseen) };
  return { health: 'well', sentence: wellIn([...volumes.value.values()].map(({ row }) => row.health)) };
}

const notAtOnce = (count: number): string =>
  count > 1 ? `${count} things need you, but none of them at once.` : '1 thing needs you, but not at once.';

/** Of each kind of thing, by its name. */
function healthsOf(
  { volumes, nodes, pools, syncs }: Parts,
  jobs: readonly JobStanding[],
): ReadonlyMap<string, readonly Health[]> {
  const of = (part: Known<ShownRows<{ readonly health: Health }>>) =>
    part.known ? [...part.value.values()].map(({ row }) => row.health) : [];
  return new Map([
    ['volume', of(volumes)],
    ['node', of(nodes)],
    ['pool', of(pools)],
    ['sync', of(syncs)],
    ['job', jobs.map(({ health }) => health)],
  ]);
}

const NAMES = { claims: 'claims', pods: 'pods', reports: 'the reports of agents' } as const;

/** What cannot be seen, and why the first of it cannot. */
function unseenIn({ nodes, pools, syncs, blind }: Parts): string | undefined {
  const spots = [
    ...Object.entries({ nodes, pools, syncs }).flatMap(([what, part]) => (part.known ? [] : [{ what, why: part.why }])),
    ...blind.map(({ what, why }) => ({ what: NAMES[what], why })),
  ];
  const [first, ...others] = spots;
  if (!first) return undefined;
  const all = [...new Set([first, ...others].map(({ what }) => what))];
  const list = all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : first.what;
  return `${list} cannot be seen: ${first.why}`;
}

function unknownIn(healths: ReadonlyMap<string, readonly Health[]>, unseen: string | undefined): string {
  for (const [kind, each] of healths) {
    const count = each.filter((health) => health === 'unknown').length;
    if (count > 0 && kind !== 'job')
      return `Nobody can say how ${counted(count, `${kind} is`, `${kind}s are`)}.${unseen === undefined ? '' : ` ${sentence(unseen)}`}`;
  }
  return sentence(`what is seen is well, but ${unseen ?? 'not all of it can be seen'}`);
}

function wellIn(volumes: readonly Health[]): string {
  if (volumes.length === 0) return 'There are no volumes yet.';
  const busy = volumes.filter((health) => health === 'busy').length;
  if (volumes.length === 1) return busy > 0 ? 'The only volume is being worked on.' : 'The only volume is well.';
  const worked = busy > 0 ? `, ${busy} of them ${busy === 1 ? 'is' : 'are'} being worked on` : '';
  return `All ${counted(volumes.length, 'volume')} are well${worked}.`;
}

function jobsOf(parts: Parts): readonly JobStanding[] {
  return [topologyOf(parts), devicesOf(parts), lvmOf(parts), poolOf(parts), syncOf(parts)];
}

const standing = (job: Job, health: Health, text: string): JobStanding => ({ job, health, sentence: text });
const unknown = (job: Job, why: string): JobStanding => standing(job, 'unknown', why);
const NOT_IN_USE = 'not in use here';

const blindOn = (job: Job, { blind }: Parts, ...whats: readonly BlindSpot['what'][]): JobStanding | undefined => {
  const spot = blind.find(({ what }) => whats.includes(what));
  return spot && unknown(job, spot.why);
};

function topologyOf(parts: Parts): JobStanding {
  const { volumes, isTopologyInUse, others } = parts;
  if (!volumes.known) return unknown('topology', volumes.why);
  if (!isTopologyInUse) return standing('topology', 'well', NOT_IN_USE);
  const unread = blindOn('topology', parts, 'pods', 'claims');
  if (unread) return unread;
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

/** On how many nodes the word of its agents does not count. */
const doubted = (job: 'devices' | 'lvm', rows: readonly NodeRow[]): { health: Health[]; text: string } => {
  const count = rows.filter(({ doubts }) => doubts?.[job] !== undefined).length;
  return {
    health: count > 0 ? ['unknown'] : [],
    text: count > 0 ? `; nobody can say on ${counted(count, 'node')}` : '',
  };
};

function devicesOf(parts: Parts): JobStanding {
  const { nodes } = parts;
  if (!nodes.known) return unknown('devices', nodes.why);
  const unread = blindOn('devices', parts, 'reports');
  if (unread) return unread;
  const rows = [...nodes.value.values()].map(({ row }) => row);
  const devices = rows.flatMap((row) => row.devices);
  const doubt = doubted('devices', rows);
  if (devices.length === 0 && doubt.health.length === 0) return standing('devices', 'well', NOT_IN_USE);
  const states = devices.map(({ state }) => state);
  const counts = states.length > 0 ? `: ${tally(states)}` : '';
  return standing(
    'devices',
    worstOf([...states.map(deviceHealth), ...doubt.health]),
    `${counted(devices.length, 'device')}${counts}${doubt.text}`,
  );
}

function lvmOf(parts: Parts): JobStanding {
  const { nodes } = parts;
  if (!nodes.known) return unknown('lvm', nodes.why);
  const unread = blindOn('lvm', parts, 'reports');
  if (unread) return unread;
  const rows = [...nodes.value.values()].map(({ row }) => row);
  const groups = rows.flatMap((row) => row.groups);
  const volumes = rows.flatMap((row) => [...row.groups.flatMap((group) => group.volumes), ...(row.otherVolumes ?? [])]);
  const doubt = doubted('lvm', rows);
  if (groups.length === 0 && volumes.length === 0 && doubt.health.length === 0)
    return standing('lvm', 'well', NOT_IN_USE);
  const states = volumes.map(({ state }) => state);
  const inGroups = `${counted(volumes.length, 'logical volume')} in ${counted(groups.length, 'volume group')}`;
  return standing(
    'lvm',
    worstOf([...states.map(logicalHealth), ...doubt.health]),
    `${states.length > 0 ? `${inGroups}: ${tally(states)}` : inGroups}${doubt.text}`,
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
