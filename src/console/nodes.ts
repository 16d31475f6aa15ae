/** How a node is shown: its disks and volume groups, as its agents report them. Pure. */
import type { Identity } from '../devices/identity.ts';
import type { Partition } from '../devices/partitions.ts';
import { type DeviceStatus, type NodeStatus as DevicesOfNode, needOf } from '../devices/status.ts';
import { inBytes } from '../kit/in-words.ts';
import type { GroupStatus, VolumeStatus as LogicalVolume, NodeStatus as LvmOfNode } from '../lvm/status.ts';
import { ZONE } from '../topology/contract.ts';
import { type AgentJob, type Doubt, doubtInWords } from './agents.ts';
import type { Activity, DeviceRow, GroupRow, Health, LogicalVolumeRow, NodeRow, PartitionRow } from './model.ts';
import { approvalOf, groupNeeds, JOBS, linkToNode, needsOf } from './node-needs.ts';
import { type Shown, sentence, worstOf } from './shown.ts';
import type { SeenNode } from './views.ts';

export interface KnownOfNode {
  readonly name: string;
  /** Nothing where there is no such node any more, or nodes may not be read. */
  readonly node?: SeenNode | undefined;
  readonly devices?: DevicesOfNode | undefined;
  readonly lvm?: LvmOfNode | undefined;
  /** Why the word of an agent does not count, where it does not. */
  readonly doubts?: { readonly devices?: Doubt | undefined; readonly lvm?: Doubt | undefined };
  /** What its devices are, exactly as reported, by volume. */
  readonly identities?: ReadonlyMap<string, Identity> | undefined;
}

export function nodeShown(known: KnownOfNode): Shown<NodeRow> {
  const { name, node, devices, lvm, doubts = {} } = known;
  const zone = node?.labels[ZONE];
  const doubtOn = (job: AgentJob) => doubts[job] && { [job]: sentence(doubtInWords(doubts[job], job)) };
  const isDoubted = JOBS.some((job) => doubts[job]);
  const groups = (lvm?.groups ?? []).map((group) => groupRow(group, lvm?.volumes ?? []));
  const named = new Set(groups.map((group) => group.name));
  const others = (lvm?.volumes ?? []).filter(({ vg }) => vg === undefined || !named.has(vg)).map(logicalVolumeRow);
  const row: NodeRow = {
    name,
    ...(zone && { zone }),
    health: healthOf(known),
    isReady: node?.isReady ?? false,
    remarks: remarksOn(known),
    devices: (devices?.devices ?? []).map((device) => deviceRow(known, device)),
    groups,
    ...(others.length > 0 && { otherVolumes: others }),
    heard: {
      ...(devices?.heardAt !== undefined && { devices: devices.heardAt }),
      ...(lvm?.heardAt !== undefined && { lvm: lvm.heardAt }),
    },
    ...(isDoubted && { doubts: { ...doubtOn('devices'), ...doubtOn('lvm') } }),
  };
  return { row, needs: needsOf(known), activities: (devices?.devices ?? []).flatMap((each) => wipeOf(name, each)) };
}

function remarksOn(known: KnownOfNode): readonly string[] {
  const { node } = known;
  return [
    ...(node && !node.isReady ? ['The node is not ready.'] : []),
    ...(node?.isCordoned ? ['The node is cordoned: no new pods are placed on it.'] : []),
    ...JOBS.flatMap((job) => remarksOnAgent(known, job)),
  ];
}

/** Those of a silent agent say that it is. Of one that is not read there are none. */
function remarksOnAgent({ doubts, ...known }: KnownOfNode, job: AgentJob): readonly string[] {
  const doubt = doubts?.[job];
  if (doubt && doubt.is !== 'silent') return [sentence(doubtInWords(doubt, job))];
  return (known[job]?.remarks ?? []).map((remark) => sentence(`the ${job} agent of this node ${remark}`));
}

/** What was well when an agent was heard last is not well any more, but unknown. That a node is cordoned is somebody's will. */
function healthOf(known: KnownOfNode): Health {
  const { node, devices, lvm, doubts = {} } = known;
  return worstOf([
    ...(devices?.devices ?? []).map(({ state }) => deviceHealth(state.is)),
    ...(lvm?.volumes ?? []).map(({ state }) => logicalHealth(state.is)),
    ...JOBS.map((job): Health => {
      if (doubts[job]) return 'unknown';
      return (known[job]?.remarks ?? []).length > 0 ? 'attention' : 'well';
    }),
    ...(lvm?.groups ?? []).map((group): Health => (groupNeeds('', group).length > 0 ? 'attention' : 'well')),
    ...(node
      ? ([node.isReady ? 'well' : 'attention', node.isCordoned ? 'busy' : 'well'] as const)
      : (['unknown'] as const)),
  ]);
}

export function deviceHealth(state: DeviceRow['state']): Health {
  if (state === 'failed') return 'failed';
  if (state === 'refused') return 'attention';
  return state === 'wiping' || state === 'released' || state === 'new' ? 'busy' : 'well';
}

export function logicalHealth(state: LogicalVolumeRow['state']): Health {
  if (state === 'failed') return 'failed';
  if (state === 'refused') return 'attention';
  if (state === 'unreported') return 'unknown';
  return state === 'ready' ? 'well' : 'busy';
}

function deviceRow({ name, identities }: KnownOfNode, device: DeviceStatus): DeviceRow {
  const { path, volume, claim, sizeBytes, identity, state, stands, holds, partitionCount } = device;
  const need = needOf(name, device);
  const approve = approvalOf(name, device, identities?.get(volume));
  return {
    path,
    volume,
    ...(claim !== undefined && { claim }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    identity,
    state: state.is,
    stands,
    ...(holds !== undefined && { holds }),
    ...(device.partitions && { partitions: device.partitions.map(partitionRow) }),
    ...(partitionCount !== undefined && { partitionCount }),
    ...(state.is === 'wiping' && state.ofBytes > 0 && { progress: fraction(state.doneBytes, state.ofBytes) }),
    ...('why' in state && { why: sentence(`it ${state.why}`) }),
    ...(need && { remedy: sentence(need.remedy) }),
    ...(approve && { approve }),
  };
}

const partitionRow = ({ name, startBytes, sizeBytes, heldBy }: Partition): PartitionRow => ({
  name,
  startBytes,
  sizeBytes,
  ...(heldBy !== undefined && { heldBy }),
});

const fraction = (done: number, of: number): number => Math.min(1, Math.max(0, done / of));

function wipeOf(node: string, { volume, path, state, stands }: DeviceStatus): readonly Activity[] {
  if (state.is !== 'wiping') return [];
  return [
    {
      id: `wipe:${volume}`,
      job: 'devices',
      kind: 'wipe',
      subject: `${path} of ${node}`,
      detail: state.ofBytes > 0 ? `${inBytes(state.doneBytes)} of ${inBytes(state.ofBytes)}` : stands,
      ...(state.ofBytes > 0 && { progress: fraction(state.doneBytes, state.ofBytes) }),
      link: linkToNode(node),
    },
  ];
}

const groupRow = (group: GroupStatus, volumes: readonly LogicalVolume[]): GroupRow => ({
  name: group.name,
  sizeBytes: group.sizeBytes,
  freeBytes: group.freeBytes,
  missingDisks: group.missingDisks,
  pools: group.pools.map(({ name, sizeBytes, promisedBytes, dataPercent, metadataPercent }) => ({
    name,
    sizeBytes,
    promisedBytes,
    ...(dataPercent !== undefined && { dataPercent }),
    ...(metadataPercent !== undefined && { metadataPercent }),
  })),
  volumes: volumes.filter(({ vg }) => vg === group.name).map(logicalVolumeRow),
});

const logicalVolumeRow = ({
  volume,
  pool,
  sizeBytes,
  claim,
  path,
  state,
  stands,
}: LogicalVolume): LogicalVolumeRow => ({
  volume,
  ...(pool !== undefined && { pool }),
  ...(sizeBytes !== undefined && { sizeBytes }),
  ...(claim !== undefined && { claim }),
  ...(path !== undefined && { path }),
  state: state.is,
  stands,
});
