/** How the devices of all nodes stand, worked out from the reports of their agents and from the volumes that there are. Pure. */
import { describe, isNamed } from './identity.ts';
import type { ReadReport, ReadStanding, ReadState } from './node-report.ts';
import type { Volume } from './volume.ts';

export interface Reported {
  readonly report: ReadReport;
  /** Where it stands; nothing for one that was not read but made. */
  readonly namespace?: string | undefined;
}

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

export interface DeviceStatus {
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

/** The agent writes at least every 5 minutes. One that was not heard twice in a row has a problem. */
const SILENT_AFTER_MS = 10 * 60_000;
/** Clocks differ, by less than this if all is well. */
const AHEAD_MS = 60_000;

/** Of all nodes, or of those that are named. */
export function devicesStatus(looked: Looked, now: Date, only: readonly string[] = []): DevicesStatus {
  const isMeant = (node: string) => only.length === 0 || only.includes(node);
  const reports = looked.reports.filter(({ report }) => isMeant(report.node));
  const reported = new Set(reports.map(({ report }) => report.node));
  const orphans = volumesByNode(looked.volumes ?? [], (node) => isMeant(node) && !reported.has(node));
  const nodes = [
    ...reports.map((each) => nodeStatus(each, looked, now)),
    ...[...orphans].map(([node, volumes]) => unreported(node, volumes)),
  ].sort((one, other) => compare(one.node, other.node) || compare(one.namespace ?? '', other.namespace ?? ''));
  return {
    nodes,
    withoutReport: [...new Set([...(looked.nodes ?? []), ...only])]
      .filter((node) => isMeant(node) && !reported.has(node) && !orphans.has(node))
      .sort(),
    unreadable: looked.unreadable ?? [],
    needsAPerson: nodes.flatMap(({ node, devices }) => devices.flatMap((device) => needOf(node, device) ?? [])),
  };
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function volumesByNode(volumes: readonly SeenVolume[], isMeant: (node: string) => boolean) {
  const byNode = new Map<string, SeenVolume[]>();
  for (const volume of volumes) {
    if (!isMeant(volume.node)) continue;
    const others = byNode.get(volume.node);
    if (others) others.push(volume);
    else byNode.set(volume.node, [volume]);
  }
  return byNode;
}

function nodeStatus({ report, namespace }: Reported, looked: Looked, now: Date): NodeStatus {
  const { node, at, isDryRun, devices } = report;
  const volumes = new Map((looked.volumes ?? []).filter((each) => each.node === node).map((each) => [each.name, each]));
  const rows = devices.map((standing) => deviceStatus(standing, volumes.get(standing.volume)));
  const named = new Set(devices.map(({ volume }) => volume));
  const others = [...volumes.values()].filter(({ name }) => !named.has(name)).map(ofVolume);
  return {
    node,
    ...(namespace !== undefined && { namespace }),
    heardAt: at,
    isDryRun,
    remarks: remarksOn({ report, namespace }, looked, now),
    devices: [...rows, ...others],
  };
}

const unreported = (node: string, volumes: readonly SeenVolume[]): NodeStatus => ({
  node,
  isDryRun: false,
  remarks: ['has volumes and no report: does holdfast devices run there?'],
  devices: volumes.map(ofVolume),
});

function remarksOn({ report, namespace }: Reported, { nodes, reports }: Looked, now: Date): readonly string[] {
  const { node, at, isDryRun, faults, unseen, leftOut } = report;
  const others = reports.filter((each) => each.report.node === node && each.namespace !== namespace);
  return [
    ...(nodes && !nodes.includes(node) ? ['is no node of this cluster any more'] : []),
    ...others.map((each) => `has another report, in the namespace ${each.namespace}: only one of them is its agent's`),
    ...silence(now.getTime() - Date.parse(at)),
    ...(isDryRun ? ['only plans: its agent runs with --dry-run'] : []),
    ...faults.map((fault) => `touches no device: ${fault}`),
    ...unseen.map((what) => `could not look at everything: ${what}`),
    ...(leftOut > 0 ? [`has ${leftOut} more devices than fit into its report`] : []),
  ];
}

function silence(ageMs: number): readonly string[] {
  if (ageMs > SILENT_AFTER_MS) return [`was last heard ${ago(ageMs)}: what is shown may not be so any more`];
  return ageMs < -AHEAD_MS ? [`has a clock that is ${inUnits(-ageMs)} ahead of the one here`] : [];
}

function deviceStatus(standing: ReadStanding, volume: SeenVolume | undefined): DeviceStatus {
  const { path, device, identity, holds } = standing;
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

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** In the largest unit, with a decimal place where it is not whole. Never more than there is. */
export function inBytes(bytes: number): string {
  let [amount, unit] = [bytes, 0];
  while (amount >= 1024 && unit < UNITS.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  return `${Math.floor(amount * 10) / 10}${UNITS[unit]}`;
}

export const ago = (ms: number): string => (ms < 1_000 ? 'just now' : `${inUnits(ms)} ago`);

const LENGTHS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** In the largest unit that there are two of, as people say it: 90 minutes, and not 1 hour. */
function inUnits(ms: number): string {
  const [unit, length] = LENGTHS.find(([, each]) => ms >= 2 * each) ?? (['second', 1_000] as const);
  const count = Math.floor(ms / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
