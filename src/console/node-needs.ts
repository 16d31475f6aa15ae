/** What only a person can do about a node, its agents, disks and volume groups. Pure. */
import type { Identity } from '../devices/identity.ts';
import { devicesReports } from '../devices/node-report.ts';
import { approvalLine, type DeviceStatus, needOf } from '../devices/status.ts';
import { lvmReports } from '../lvm/node-report.ts';
import type { GroupStatus, VolumeStatus as LogicalVolume } from '../lvm/status.ts';
import { type AgentJob, doubtInWords } from './agents.ts';
import type { Action, Need } from './model.ts';
import type { KnownOfNode } from './nodes.ts';
import { sentence } from './shown.ts';
import { linkTo as linkToVolume } from './volumes.ts';

export const JOBS: readonly AgentJob[] = ['devices', 'lvm'];

export const linkToNode = (node: string): string => `#/nodes/${encodeURIComponent(node)}`;

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

/** A thin pool that is full stops the filesystems in it. */
const NEARLY_FULL = 95;

export function needsOf(known: KnownOfNode): readonly Need[] {
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

export function groupNeeds(node: string, { name, missingDisks, pools }: GroupStatus): readonly Need[] {
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
