/** How a node is shown: its disks and volume groups, as its agents report them. Pure. */
import type { Identity } from '../devices/identity.ts';
import { devicesReports } from '../devices/node-report.ts';
import { approvalLine, type DeviceStatus, type NodeStatus as DevicesOfNode, needOf } from '../devices/status.ts';
import { inBytes } from '../kit/in-words.ts';
import { lvmReports } from '../lvm/node-report.ts';
import type { GroupStatus, VolumeStatus as LogicalVolume, NodeStatus as LvmOfNode } from '../lvm/status.ts';
import { ZONE } from '../topology/contract.ts';
import { type AgentJob, type Doubt, doubtInWords } from './agents.ts';
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
  /** Why the word of an agent does not count, where it does not. */
  readonly doubts?: { readonly devices?: Doubt | undefined; readonly lvm?: Doubt | undefined };
  /** What its devices are, exactly as reported, by volume. */
  readonly identities?: ReadonlyMap<string, Identity> | undefined;
}

const JOBS: readonly AgentJob[] = ['devices', 'lvm'];

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

const linkToNode = (node: string): string => `#/nodes/${encodeURIComponent(node)}`;

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
  const { path, volume, claim, sizeBytes, identity, state, stands, holds } = device;
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
    ...(state.is === 'wiping' && state.ofBytes > 0 && { progress: fraction(state.doneBytes, state.ofBytes) }),
    ...('why' in state && { why: sentence(`it ${state.why}`) }),
    ...(need && { remedy: sentence(need.remedy) }),
    ...(approve && { approve }),
  };
}

const fraction = (done: number, of: number): number => Math.min(1, Math.max(0, done / of));

/** For a refusal that a person can lift. All that they were shown goes with it, and exactly which disk it is, so that nothing else is approved. */
export function approvalOf(node: string, status: DeviceStatus, exactly: Identity | undefined): Action | undefined {
  const { path, volume, device, state, size, identity } = status;
  if (state.is !== 'refused' || !state.canBeApproved || device === undefined || !exactly) return undefined;
  return {
    name: 'approve-wipe',
    to: { node, device, volume, fact: state.fact, identity: JSON.stringify(exactly) },
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
  return [
    ...notReady(known),
    ...(devices?.devices ?? []).flatMap((device) => deviceNeed(known, device)),
    ...(lvm?.volumes ?? []).flatMap((volume) => logicalVolumeNeed(name, volume)),
    ...(lvm?.groups ?? []).flatMap((group) => groupNeeds(name, group)),
    ...JOBS.flatMap((job) => (known.doubts?.[job] ? doubtNeed(known, job) : agentNeed(known, job))),
  ];
}

function notReady({ name, node, devices, lvm }: KnownOfNode): readonly Need[] {
  if (!node || node.isReady) return [];
  const held = (devices?.devices.length ?? 0) + (lvm?.volumes.length ?? 0);
  return [
    {
      id: `node:${name}`,
      job: (devices?.devices.length ?? 0) > 0 ? 'devices' : (lvm?.volumes.length ?? 0) > 0 ? 'lvm' : 'topology',
      severity: held > 0 ? 'urgent' : 'soon',
      what: `The node ${name} is not ready${held > 0 ? ', and has disks or volumes that are nowhere else' : ''}.`,
      remedy: 'See what is wrong with it.',
      command: `kubectl describe node ${name}`,
      link: linkToNode(name),
    },
  ];
}

/** What an agent that is heard says of itself: that it only plans, or cannot look at everything. Of missing disks their groups tell. */
function agentNeed(known: KnownOfNode, job: AgentJob): readonly Need[] {
  const remarks = (known[job]?.remarks ?? []).filter((remark) => !remark.startsWith('misses '));
  if (remarks.length === 0) return [];
  return [
    {
      id: `agent:${job}:${known.name}`,
      job,
      severity: 'soon',
      what: sentence(`the ${job} agent of ${known.name} ${remarks.join('; it ')}`),
      remedy: 'See whether that is meant, and what its log tells.',
      command: `holdfast status ${job} ${known.name}`,
      link: linkToNode(known.name),
    },
  ];
}

/** What cannot be read is not the agent's fault: it is told with the verdict. */
function doubtNeed({ name, node, doubts, ...known }: KnownOfNode, job: AgentJob): readonly Need[] {
  const doubt = doubts?.[job];
  if (!doubt || doubt.is === 'unread') return [];
  const common = { job, link: linkToNode(name) };
  if (doubt.is === 'disputed')
    return [
      {
        ...common,
        id: `disputed:${job}:${name}`,
        severity: 'urgent',
        what: `Of ${name} neither is believed: ${doubtInWords(doubt, job)}.`,
        remedy:
          'Remove the one that is not where the agents run, and find out who wrote it. With --namespace only that one is read.',
        command: `kubectl get configmaps -A -l holdfast.dev/report=${job}`,
      },
    ];
  const reports = job === 'devices' ? devicesReports : lvmReports;
  const isGone = !node && doubt.heardAt !== undefined;
  return [
    {
      ...common,
      id: `silent:${job}:${name}`,
      severity: 'soon',
      what:
        doubt.heardAt === undefined
          ? `Nothing is heard of the ${job} agent of ${name}, which has volumes.`
          : `The ${job} agent of ${name} was last heard at ${doubt.heardAt}: nobody can say how its volumes are.`,
      remedy: isGone
        ? 'There is no such node any more. If it is gone for good, remove its report.'
        : `See whether holdfast ${job} runs there.`,
      command: isGone
        ? `kubectl -n ${known[job]?.namespace} delete configmap ${reports.nameOf(name)}`
        : `holdfast status ${job} ${name}`,
    },
  ];
}

function deviceNeed({ name, identities }: KnownOfNode, device: DeviceStatus): readonly Need[] {
  const { path, volume, state } = device;
  const common = { id: `device:${name}:${volume}`, job: 'devices' as const, link: linkToNode(name) };
  if (state.is === 'failed')
    return [
      {
        ...common,
        severity: 'urgent',
        what: sentence(`${path} of ${name} has failed: ${state.why}`),
        remedy:
          'Its agent tries again. If it goes on like this, its log tells more, and the disk may have to be replaced.',
        command: `holdfast status devices ${name}`,
      },
    ];
  const need = needOf(name, device);
  if (!need) return [];
  const action = approvalOf(name, device, identities?.get(volume));
  return [
    {
      ...common,
      severity: 'soon',
      what: `${path} of ${name} is not wiped: it ${need.why}.`,
      remedy: action ? 'If nobody needs what is on it, approve the wipe.' : sentence(need.remedy),
      ...(action && { command: approvalLine(name, { path, volume }), action }),
    },
  ];
}

function logicalVolumeNeed(node: string, { volume, state }: LogicalVolume): readonly Need[] {
  if (state.is === 'failed')
    return [
      {
        id: `lvm:${volume}`,
        job: 'lvm',
        severity: 'urgent',
        what: sentence(`the volume ${volume} of ${node} has failed: ${state.why}`),
        remedy: 'Its agent tries again. If it goes on like this, its log tells more.',
        command: `holdfast status lvm ${node}`,
        link: linkToVolume(volume),
      },
    ];
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
