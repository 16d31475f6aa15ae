/** How the devices of all nodes stand, worked out from the reports of their agents and from the volumes that there are. Pure. */
import { inBytes } from '../kit/in-words.ts';
import { byNode, noReport, type Reported as ReportedBy, remarksOnAgent, sortedByNews } from '../kit/reports/heard.ts';
import { describe, isNamed } from './identity.ts';
import { devicesReports, type ReadReport, type ReadStanding, type ReadState } from './node-report.ts';
import type { Partitioned } from './partitions.ts';
import type { Volume } from './volume.ts';

export type Reported = ReportedBy<ReadReport>;

type SeenVolume = Pick<Volume, 'name' | 'node' | 'phase' | 'claim' | 'path' | 'capacityBytes' | 'identity'>;

/** What there is to work it out from. */
export interface Looked {
  readonly reports: readonly Reported[];
  /** ConfigMaps that say to be reports and cannot be understood. */
  readonly unreadable?: readonly string[];
  /** All nodes; nothing when they may not be read. */
  readonly nodes?: readonly string[] | undefined;
  /** Those that say to be ours; nothing when they may not be read. */
  readonly volumes?: readonly SeenVolume[] | undefined;
}

export interface DeviceStatus extends Partitioned {
  readonly path: string;
  readonly volume: string;
  readonly claim?: string | undefined;
  /** What approvals name it by. */
  readonly device?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly size: string;
  /** For people. */
  readonly identity: string;
  /** It cannot be told from another one of its size. */
  readonly isKnownBySizeOnly: boolean;
  readonly holds?: string | undefined;
  readonly state: ReadState;
  /** The state in words. */
  readonly stands: string;
}

export interface NodeStatus {
  readonly node: string;
  readonly namespace?: string | undefined;
  /** When the agent wrote its report; nothing when there is none. */
  readonly heardAt?: string | undefined;
  readonly isDryRun: boolean;
  /** What people should know about the agent, each as the end of a sentence that begins with the node. */
  readonly remarks: readonly string[];
  readonly devices: readonly DeviceStatus[];
}

/** A refusal, which only a person can lift. */
export interface Need {
  readonly node: string;
  readonly path: string;
  readonly volume: string;
  /** As the end of a sentence that begins with the device. */
  readonly why: string;
  /** As a sentence without its full stop. */
  readonly remedy: string;
  /** What to type, for those that can be approved. */
  readonly command?: string | undefined;
}

export interface DevicesStatus {
  readonly nodes: readonly NodeStatus[];
  /** Nodes that nothing at all is known of. */
  readonly withoutReport: readonly string[];
  readonly unreadable: readonly string[];
  readonly needsAPerson: readonly Need[];
}

/** Of all nodes, or of those that are named. */
export function devicesStatus(looked: Looked, now: Date, only: readonly string[] = []): DevicesStatus {
  const volumes = Map.groupBy(looked.volumes ?? [], ({ node }) => node);
  const { reports, silent, withoutReport } = sortedByNews(looked, volumes.keys(), only);
  const nodes = [
    ...reports.map((each) => nodeStatus(each, volumes.get(each.report.node), looked, now)),
    ...silent.map((node) => unreported(node, volumes.get(node))),
  ].sort(byNode);
  return {
    nodes,
    withoutReport,
    unreadable: looked.unreadable ?? [],
    needsAPerson: nodes.flatMap(({ node, devices }) => devices.flatMap((device) => needOf(node, device) ?? [])),
  };
}

function nodeStatus(reported: Reported, made: readonly SeenVolume[] = [], looked: Looked, now: Date): NodeStatus {
  const { report, namespace } = reported;
  const { node, at, isDryRun, devices } = report;
  const volumes = new Map(made.map((each) => [each.name, each]));
  const rows = devices.map((standing) => deviceStatus(standing, volumes.get(standing.volume)));
  const named = new Set(devices.map(({ volume }) => volume));
  const others = made.filter(({ name }) => !named.has(name)).map(ofVolume);
  return {
    node,
    ...(namespace !== undefined && { namespace }),
    heardAt: at,
    isDryRun,
    remarks: remarksOn(reported, looked, now),
    devices: [...rows, ...others],
  };
}

const unreported = (node: string, volumes: readonly SeenVolume[] = []): NodeStatus => ({
  node,
  isDryRun: false,
  remarks: [noReport(devicesReports.job)],
  devices: volumes.map(ofVolume),
});

function remarksOn(reported: Reported, looked: Looked, now: Date): readonly string[] {
  const { isDryRun, faults, unseen, leftOut } = reported.report;
  return [
    ...remarksOnAgent(reported, looked, now),
    ...(isDryRun ? ['only plans: its agent runs with --dry-run'] : []),
    ...faults.map((fault) => `touches no device: ${fault}`),
    ...unseen.map((what) => `could not look at everything: ${what}`),
    ...(leftOut > 0 ? [`has ${leftOut} more devices than fit into its report`] : []),
  ];
}

function deviceStatus(standing: ReadStanding, volume: SeenVolume | undefined): DeviceStatus {
  const { path, device, identity, holds, partitions, partitionCount } = standing;
  const state = volume && isOfTheVolume(standing.state) ? stateOf(volume) : standing.state;
  const sizeBytes = standing.sizeBytes ?? identity?.sizeBytes ?? volume?.capacityBytes;
  const claim = volume ? volume.claim : standing.claim;
  return {
    path,
    volume: standing.volume,
    ...(claim !== undefined && { claim }),
    ...(device !== undefined && { device }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    size: sizeBytes === undefined ? '' : inBytes(sizeBytes),
    identity: identity ? describe(identity) : '',
    isKnownBySizeOnly: identity !== undefined && !isNamed(identity),
    ...(holds !== undefined && { holds }),
    ...(partitions && { partitions }),
    ...(partitionCount !== undefined && { partitionCount }),
    state,
    stands: inWords(state),
  };
}

const ofVolume = (volume: SeenVolume): DeviceStatus =>
  deviceStatus({ ...volume, volume: volume.name, state: stateOf(volume) }, volume);

/** The volume itself tells these better than a report, which may be a moment old. */
const isOfTheVolume = ({ is }: ReadState): boolean =>
  is === 'available' || is === 'bound' || is === 'released' || is === 'new';

function stateOf({ phase }: SeenVolume): ReadState {
  if (phase === 'Bound') return { is: 'bound' };
  return phase === 'Released' || phase === 'Failed' ? { is: 'released' } : { is: 'available' };
}

/** Nothing for a device that no person has to do anything about. */
export function needOf(node: string, { path, volume, state }: DeviceStatus): Need | undefined {
  if (state.is !== 'refused') return undefined;
  const { why, remedy, canBeApproved } = state;
  if (!canBeApproved) return { node, path, volume, why, remedy };
  const command = approvalLine(node, { path, volume });
  return { node, path, volume, why, remedy: `If nobody needs what is on it: ${command}`, command };
}

/** Can be typed as it is: where the path is overlong, or has anything in it that a shell could misread, the volume is named. */
export const approvalLine = (node: string, { path, volume }: Pick<DeviceStatus, 'path' | 'volume'>): string =>
  `holdfast devices approve ${node} ${/^\/[\w@%+=:,./-]{1,200}$/.test(path) ? path : volume}`;

export function inWords(state: ReadState): string {
  switch (state.is) {
    case 'wiping':
      return `wiping${percent(state.doneBytes, state.ofBytes)}`;
    case 'refused':
      return `refused: ${state.why}`;
    case 'failed':
      return `failed: ${state.why}`;
    case 'planned': {
      const what = state.what === 'make' ? 'would be made' : 'would be recycled';
      if (state.ofBytes === 0) return `${what} (clean already)`;
      return `${what} (wiped by ${state.method}, ${inBytes(state.ofBytes)})`;
    }
    default:
      return state.is;
  }
}

/** Never 100 before it is done, and nothing where that cannot be said. */
const percent = (done: number, of: number): string =>
  of > 0 ? ` ${Math.floor((Math.min(done, of) / of) * 100)} %` : '';
