/** How a node is shown: its disks and volume groups, as its agents report them. Pure. */
import { approvalLine, type DeviceStatus, type NodeStatus as DevicesOfNode, needOf } from '../devices/status.ts';
import { inBytes } from '../kit/in-words.ts';
import type { GroupStatus, VolumeStatus as LogicalVolume, NodeStatus as LvmOfNode } from '../lvm/status.ts';
import { ZONE } from '../topology/contract.ts';
import type { Action, Activity, DeviceRow, GroupRow, Health, LogicalVolumeRow, Need, NodeRow } from './model.ts';
import { type Shown, sentence, worstOf } from './shown.ts';
import type { SeenNode } from './views.ts';
import { linkTo as linkToVolume } from './volumes.ts';

export interface KnownOfNode {
  readonly name: string;
  /** Nothing where there is no such node any more, or nodes may not be read. */
  readonly node?: SeenNode | undefined;
  readonly devices?: DevicesOfNode | undefined;
  readonly lvm?: LvmOfNode | undefined;
}

export function nodeShown(known: KnownOfNode): Shown<NodeRow> {
  const { name, node, devices, lvm } = known;
  const zone = node?.labels[ZONE];
  const remarks = remarksOn(known);
  const groups = (lvm?.groups ?? []).map((group) => groupRow(group, lvm?.volumes ?? []));
  const named = new Set(groups.map((group) => group.name));
  const others = (lvm?.volumes ?? []).filter(({ vg }) => vg === undefined || !named.has(vg)).map(logicalVolumeRow);
  const row: NodeRow = {
    name,
    ...(zone && { zone }),
    health: healthOf(known, remarks),
    isReady: node?.isReady ?? false,
    remarks,
    devices: (devices?.devices ?? []).map((device) => deviceRow(name, device)),
    groups,
    ...(others.length > 0 && { otherVolumes: others }),
    heard: {
      ...(devices?.heardAt !== undefined && { devices: devices.heardAt }),
      ...(lvm?.heardAt !== undefined && { lvm: lvm.heardAt }),
    },
  };
  return { row, needs: needsOf(known), activities: (devices?.devices ?? []).flatMap((each) => wipeOf(name, each)) };
}

const linkToNode = (node: string): string => `#/nodes/${encodeURIComponent(node)}`;

function remarksOn({ node, devices, lvm }: KnownOfNode): readonly string[] {
  const of = (job: string, remarks: readonly string[] = []) =>
    remarks.map((remark) => sentence(`the ${job} agent of this node ${remark}`));
  return [
    ...(node && !node.isReady ? ['The node is not ready.'] : []),
    ...(node?.isCordoned ? ['The node is cordoned: no new pods are placed on it.'] : []),
    ...of('devices', devices?.remarks),
    ...of('lvm', lvm?.remarks),
  ];
}

function healthOf({ node, devices, lvm }: KnownOfNode, remarks: readonly string[]): Health {
  const ofDevices = (devices?.devices ?? []).map(({ state }): Health => {
    if (state.is === 'failed') return 'failed';
    if (state.is === 'refused') return 'attention';
    return state.is === 'wiping' || state.is === 'released' || state.is === 'new' ? 'busy' : 'well';
  });
  const ofVolumes = (lvm?.volumes ?? []).map(({ state }): Health => {
    if (state.is === 'failed') return 'failed';
    if (state.is === 'refused') return 'attention';
    if (state.is === 'unreported') return 'unknown';
    return state.is === 'ready' ? 'well' : 'busy';
  });
  return worstOf([
    ...ofDevices,
    ...ofVolumes,
    ...(remarks.length > 0 ? (['attention'] as const) : []),
    ...(node ? [] : (['unknown'] as const)),
  ]);
}

function deviceRow(node: string, device: DeviceStatus): DeviceRow {
  const { path, volume, claim, sizeBytes, identity, state, stands, holds } = device;
  const need = needOf(node, device);
  const approve = approvalOf(node, device);
  return {
    path,
    volume,
    ...(claim !== undefined && { claim }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    identity,
    state: state.is,
    stands,
    ...(holds !== undefined && { holds }),
    ...(state.is === 'wiping' && state.ofBytes > 0 && { progress: fraction(state.doneBytes, state.ofBytes) }),
    ...('why' in state && { why: sentence(`it ${state.why}`) }),
    ...(need && { remedy: sentence(need.remedy) }),
    ...(approve && { approve }),
  };
}

const fraction = (done: number, of: number): number => Math.min(1, Math.max(0, done / of));

/** For a refusal that a person can lift. What they were shown goes with it, so that nothing else is approved. */
function approvalOf(node: string, { path, volume, device, state, size, identity }: DeviceStatus): Action | undefined {
  if (state.is !== 'refused' || !state.canBeApproved || device === undefined) return undefined;
  return {
    name: 'approve-wipe',
    to: { node, device, volume, fact: state.fact },
    label: 'Approve the wipe',
    consequence:
      `Everything on ${path} of ${node} (${[size, identity].filter(Boolean).join(', ')}) will be lost: ` +
      `its agent wipes it, and makes the volume ${volume} of it. It was refused because it ${state.why}.`,
    confirmBy: volume,
  };
}

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

const logicalVolumeRow = ({ volume, sizeBytes, claim, path, state, stands }: LogicalVolume): LogicalVolumeRow => ({
  volume,
  ...(sizeBytes !== undefined && { sizeBytes }),
  ...(claim !== undefined && { claim }),
  ...(path !== undefined && { path }),
  state: state.is,
  stands,
});

/** A thin pool that is full stops the filesystems in it. */
const NEARLY_FULL = 95;

function needsOf(known: KnownOfNode): readonly Need[] {
  const { name, devices, lvm } = known;
  const link = linkToNode(name);
  return [
    ...(devices?.devices ?? []).flatMap((device) => deviceNeed(name, device)),
    ...(lvm?.volumes ?? []).flatMap((volume) => logicalVolumeNeed(volume)),
    ...(lvm?.groups ?? []).flatMap((group) => groupNeeds(name, group)),
    ...(devices?.heardAt === undefined && devices
      ? [silence('devices', name, link)]
      : lvm?.heardAt === undefined && lvm
        ? [silence('lvm', name, link)]
        : []),
  ];
}

const silence = (job: 'devices' | 'lvm', node: string, link: string): Need => ({
  id: `silent:${job}:${node}`,
  job,
  severity: 'soon',
  what: `Nothing is heard of the ${job} agent of ${node}, which has volumes.`,
  remedy: `See whether holdfast ${job} runs there.`,
  command: `holdfast status ${job} ${node}`,
  link,
});

function deviceNeed(node: string, device: DeviceStatus): readonly Need[] {
  const need = needOf(node, device);
  if (!need) return [];
  const { path, volume, why } = need;
  const action = approvalOf(node, device);
  return [
    {
      id: `device:${node}:${volume}`,
      job: 'devices',
      severity: 'soon',
      what: `${path} of ${node} is not wiped: it ${why}.`,
      remedy: action ? 'If nobody needs what is on it, approve the wipe.' : sentence(need.remedy),
      ...(action && { command: approvalLine(node, { path, volume }), action }),
      link: linkToNode(node),
    },
  ];
}

function logicalVolumeNeed({ volume, state }: LogicalVolume): readonly Need[] {
  if (state.is !== 'refused') return [];
  return [
    {
      id: `lvm:${volume}`,
      job: 'lvm',
      severity: 'soon',
      what: sentence(`the volume ${volume} cannot be made: ${state.why}`),
      remedy: sentence(state.remedy),
      link: linkToVolume(volume),
    },
  ];
}

function groupNeeds(node: string, { name, missingDisks, pools }: GroupStatus): readonly Need[] {
  const link = linkToNode(node);
  const full = pools.filter(
    ({ dataPercent = 0, metadataPercent = 0 }) => Math.max(dataPercent, metadataPercent) >= NEARLY_FULL,
  );
  return [
    ...(missingDisks > 0
      ? [
          {
            id: `group:${node}:${name}`,
            job: 'lvm' as const,
            severity: 'urgent' as const,
            what: `The volume group ${name} of ${node} misses ${missingDisks} of its disks.`,
            remedy: 'Bring the disk back, or replace it before another one goes.',
            link,
          },
        ]
      : []),
    ...full.map((pool) => ({
      id: `thin:${node}:${name}/${pool.name}`,
      job: 'lvm' as const,
      severity: 'urgent' as const,
      what: `The thin pool ${name}/${pool.name} of ${node} is nearly full.`,
      remedy: 'Make room, or extend it: writes to its volumes fail when it is full.',
      link,
    })),
  ];
}
