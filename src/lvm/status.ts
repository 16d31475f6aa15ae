/** How the volumes and volume groups of all nodes stand, worked out from the reports of their agents and from the volumes that are declared. Pure. */
import { inBytes } from '../kit/in-words.ts';
import { byNode, noReport, type Reported as ReportedBy, remarksOnAgent, sortedByNews } from '../kit/reports/heard.ts';
import { NODE_ID_LABEL, STORAGE_CLASS } from './contract.ts';
import { belonging, type NodeLabels, type OwnNode, ownNodeOf } from './home.ts';
import {
  lvmReports,
  type NodeReport,
  type ReportedGroup,
  type ReportedPool,
  type ReportedVolume,
} from './node-report.ts';
import { readSize } from './size.ts';
import { STATES, type State } from './standings.ts';
import type { Volume } from './volume.ts';

export type Reported = ReportedBy<NodeReport>;

/** What there is to work it out from. */
export interface Looked {
  readonly reports: readonly Reported[];
  /** ConfigMaps that say to be reports and cannot be understood. */
  readonly unreadable?: readonly string[];
  /** All nodes; nothing when they may not be read. */
  readonly nodes?: readonly NodeLabels[] | undefined;
  /** All local ones; nothing when they may not be read. */
  readonly volumes?: readonly Volume[] | undefined;
}

/** A state that an agent reports, or that nobody does. */
export type ShownState = State | { readonly is: 'unreported'; readonly why: string };
export const SHOWN_STATES: readonly ShownState['is'][] = [...STATES, 'unreported'];

export interface VolumeStatus {
  readonly volume: string;
  readonly vg?: string | undefined;
  /** The thin pool that its space is promised in. */
  readonly pool?: string | undefined;
  readonly path?: string | undefined;
  readonly claim?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly size: string;
  readonly state: ShownState;
  /** The state in words. */
  readonly stands: string;
}

export interface PoolStatus extends ReportedPool {
  readonly size: string;
  readonly promised: string;
}

export interface GroupStatus extends Omit<ReportedGroup, 'pools'> {
  readonly size: string;
  readonly free: string;
  readonly pools: readonly PoolStatus[];
}

export interface NodeStatus {
  readonly node: string;
  readonly namespace?: string | undefined;
  /** When the agent wrote its report; nothing when there is none. */
  readonly heardAt?: string | undefined;
  /** What people should know about the agent, each as the end of a sentence that begins with the node. */
  readonly remarks: readonly string[];
  readonly groups: readonly GroupStatus[];
  readonly volumes: readonly VolumeStatus[];
}

/** What only a person can do. */
export interface Need {
  /** Nothing for a volume that is of no node. */
  readonly node?: string | undefined;
  readonly volume: string;
  readonly why: string;
  /** As a sentence without its full stop. */
  readonly remedy: string;
}

export interface LvmStatus {
  readonly nodes: readonly NodeStatus[];
  /** Volumes that are meant for us, and that no node makes. */
  readonly nowhere: readonly VolumeStatus[];
  /** Nodes that nothing at all is known of. */
  readonly withoutReport: readonly string[];
  readonly unreadable: readonly string[];
  readonly needsAPerson: readonly Need[];
}

/** Of all nodes, or of those that are named. */
export function lvmStatus(looked: Looked, now: Date, only: readonly string[] = []): LvmStatus {
  const { byNode: volumes, nowhere: homeless } = placesOf(looked);
  const heard = { reports: looked.reports, nodes: looked.nodes?.map(({ name }) => name) };
  const { reports, silent, withoutReport } = sortedByNews(heard, volumes.keys(), only);
  const nodes = [
    ...reports.map((each) => nodeStatus(each, looked, volumes.get(each.report.node), now)),
    ...silent.map((node) => unreported(node, volumes.get(node))),
  ].toSorted(byNode);
  const nowhere = only.length === 0 ? homeless : [];
  return {
    nodes,
    nowhere: nowhere.map(({ volume, why }) => ofVolume(volume, why)),
    withoutReport,
    unreadable: looked.unreadable ?? [],
    needsAPerson: [
      ...nodes.flatMap(({ node, volumes }) => volumes.flatMap((volume) => needOf(node, volume) ?? [])),
      ...nowhere.map(({ volume: { name }, why }) => ({ volume: name, why, remedy: NAME_A_NODE })),
    ],
  };
}

const NAME_A_NODE = `Name a node in its node affinity, by the value that its label ${NODE_ID_LABEL} has`;

interface Places {
  readonly byNode: ReadonlyMap<string, readonly Volume[]>;
  readonly nowhere: readonly { readonly volume: Volume; readonly why: string }[];
}

/** Which node each volume is of; those that are not meant for us are left out. */
function placesOf({ nodes, reports, volumes = [] }: Looked): Places {
  const homeOf = nodes ? homesAmong(nodes.map(ownNodeOf)) : reportersOf(reports);
  const byNodeName = Map.groupBy(volumes, homeOf);
  const homeless = byNodeName.get(undefined) ?? [];
  byNodeName.delete(undefined);
  return {
    byNode: byNodeName as ReadonlyMap<string, readonly Volume[]>,
    nowhere: nodes ? homeless.filter(isMeantForUs).map((volume) => ({ volume, why: homelessness(volume) })) : [],
  };
}

type HomeOf = (volume: Volume) => string | undefined;

function homesAmong(nodes: readonly OwnNode[]): HomeOf {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byHostname = new Map(nodes.map((node) => [node.hostname, node]));
  return (volume) => {
    const { home } = volume;
    const node = home && (home.label === NODE_ID_LABEL ? byId : byHostname).get(home.value);
    return node && belonging(volume, node, [STORAGE_CLASS]) !== 'not-ours' ? node.name : undefined;
  };
}

/** Where the nodes may not be read, only their agents know whose is whose. */
function reportersOf(reports: readonly Reported[]): HomeOf {
  const nodes = new Map(reports.flatMap(({ report }) => report.volumes.map((row) => [row.volume, report.node])));
  return ({ name }) => nodes.get(name);
}

/** Those with an affinity by id are always; others when some node would say so of them. */
const isMeantForUs = (volume: Volume): boolean => {
  const { home } = volume;
  if (home?.label === NODE_ID_LABEL) return true;
  const hostname = home?.value ?? '';
  return belonging(volume, { name: hostname, hostname }, [STORAGE_CLASS]) !== 'not-ours';
};

const homelessness = ({ home }: Volume): string =>
  home
    ? `no node of the cluster has ${home.label}=${home.value}`
    : 'its node affinity names no single node, so no agent makes it';

function nodeStatus(
  reported: Reported,
  { reports, nodes, volumes }: Looked,
  declared: readonly Volume[] = [],
  now: Date,
): NodeStatus {
  const { report, namespace } = reported;
  const byName = new Map(declared.map((volume) => [volume.name, volume]));
  const rows = report.volumes.filter(({ volume }) => volumes === undefined || byName.has(volume));
  const told = new Set(rows.map(({ volume }) => volume));
  const others = declared.filter(({ name }) => !told.has(name));
  const names = nodes?.map(({ name }) => name);
  return {
    node: report.node,
    ...(namespace !== undefined && { namespace }),
    heardAt: report.at,
    remarks: [...remarksOnAgent(reported, { reports, nodes: names }, now), ...remarksOn(report)],
    groups: report.groups.map(groupStatus),
    volumes: [
      ...rows.map((row) => volumeStatus(row, byName.get(row.volume))),
      ...others.map((volume) => ofVolume(volume, 'its agent has not told of it yet')),
    ].toSorted((one, other) => (one.volume < other.volume ? -1 : 1)),
  };
}

const remarksOn = ({ unseen, leftOut, groups }: NodeReport): readonly string[] => [
  ...unseen.map((why) => `could not be looked at: ${why}`),
  ...groups
    .filter(({ missingDisks }) => missingDisks > 0)
    .map(({ name, missingDisks }) => `misses ${missingDisks} of the disks of the volume group ${name}`),
  ...(leftOut > 0 ? [`has ${leftOut} more volumes than fit into its report`] : []),
];

const unreported = (node: string, volumes: readonly Volume[] = []): NodeStatus => ({
  node,
  remarks: [noReport(lvmReports.job)],
  groups: [],
  volumes: volumes.map((volume) => ofVolume(volume, 'no agent reports from its node')),
});

const groupStatus = ({ pools, ...group }: ReportedGroup): GroupStatus => ({
  ...group,
  size: inBytes(group.sizeBytes),
  free: inBytes(group.freeBytes),
  pools: pools.map((pool) => ({ ...pool, size: inBytes(pool.sizeBytes), promised: inBytes(pool.promisedBytes) })),
});

/** The volume itself tells its claim better than a report, which may be a moment old. */
function volumeStatus({ volume, state, vg, ...row }: Row, declared: Volume | undefined): VolumeStatus {
  const sizeBytes = row.sizeBytes ?? capacityOf(declared);
  const path = declared?.path ?? row.path;
  const claim = declared ? declared.claim : row.claim;
  const pool = declared?.annotations.thinPool;
  return {
    volume,
    ...(vg !== undefined && { vg }),
    ...(pool && { pool }),
    ...(path !== undefined && { path }),
    ...(claim !== undefined && { claim }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    size: sizeBytes === undefined ? '' : inBytes(sizeBytes),
    state,
    stands: inWords(state),
  };
}

interface Row extends Omit<ReportedVolume, 'state'> {
  readonly state: ShownState;
}

const ofVolume = (volume: Volume, why: string): VolumeStatus =>
  volumeStatus({ volume: volume.name, vg: volume.annotations.vg, state: { is: 'unreported', why } }, volume);

function capacityOf(volume: Volume | undefined): number | undefined {
  const size = volume?.capacity === undefined ? undefined : readSize(volume.capacity);
  return size && 'bytes' in size ? Number(size.bytes) : undefined;
}

export function inWords(state: ShownState): string {
  switch (state.is) {
    case 'ready':
      return 'ready';
    case 'working':
      return `working: ${state.step}`;
    case 'removing':
      return `removing: ${state.step}${state.percent === undefined ? '' : ` ${state.percent} %`}`;
    default:
      return `${state.is}: ${state.why}`;
  }
}

/** Nothing for a volume that no person has to do anything about. */
const needOf = (node: string, { volume, state }: VolumeStatus): Need | undefined =>
  state.is === 'refused' ? { node, volume, why: state.why, remedy: state.remedy } : undefined;
