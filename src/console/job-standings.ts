/** How each job stands, in a sentence. Pure. */
import type { Health, Job, JobStanding, NodeRow } from './model.ts';
import { deviceHealth, logicalHealth } from './nodes.ts';
import type { BlindSpot, Parts } from './overview.ts';
import { counted, worstOf } from './shown.ts';

export function jobsOf(parts: Parts): readonly JobStanding[] {
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
