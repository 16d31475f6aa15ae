/** What the console keeps of a cluster: the views of the jobs' own status functions, and a few of its own. None of them is needed: what may not be read is unknown. */
import { CONFIG_MAPS, type ConfigMap } from '../api/config-maps.ts';
import { NODES, type Node } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { claimsOf, hasEnded, PODS, type Pod, readySince } from '../api/pods.ts';
import { NODE_LABEL, RECEIPT_ANNOTATION } from '../devices/contract.ts';
import { devicesReports, type ReadReport } from '../devices/node-report.ts';
import { type Volume as DeviceVolume, volumeOf as deviceVolumeOf } from '../devices/volume.ts';
import type { Caches } from '../kit/cache/caches.ts';
import type { View } from '../kit/cache/store.ts';
import { keyOfObject } from '../kit/kube/resource.ts';
import { Quantity } from '../kit/quantity.ts';
import { REPORT_LABEL } from '../kit/reports/node-reports.ts';
import { lvmReports, type NodeReport } from '../lvm/node-report.ts';
import { type Volume as LvmVolume, volumeOf as lvmVolumeOf } from '../lvm/volume.ts';
import { POOL_LABEL, PV_POOLS, type PvPool } from '../pool/contract.ts';
import {
  PERSISTENT_VOLUME_SYNCS,
  type PersistentVolumeSync,
  RECOVERY_LABEL,
  SYNC_ENABLED,
  SYNC_LABEL,
} from '../sync/contract.ts';
import type { ViewSource } from '../topology/cached.ts';
import { DEFAULT_POLICY, ZONE } from '../topology/contract.ts';
import { type StatusViews, statusViews } from '../topology/status.ts';

export interface ConsoleViews {
  readonly topology: StatusViews;
  readonly volumes: View<SeenVolume>;
  readonly deviceVolumes: View<DeviceVolume>;
  readonly lvmVolumes: View<LvmVolume>;
  readonly claims: View<SeenClaim>;
  readonly agentPods: View<AgentPod, 'pool'>;
  readonly nodes: View<SeenNode>;
  readonly reports: View<SeenReport>;
  readonly pools: View<PvPool>;
  readonly syncs: View<PersistentVolumeSync>;
}

export interface SeenVolume {
  readonly name: string;
  readonly uid: string;
  readonly phase: string;
  readonly capacityBytes: number;
  readonly claim?: string;
  readonly storageClass?: string;
  readonly zone?: string;
  readonly createdAt: string;
  readonly isDeleting: boolean;
  readonly isLocalDisk: boolean;
  readonly reclaimPolicy: string;
  /** By its label: somebody wants it exported. */
  readonly isToBeExported: boolean;
  /** The sync that has restored it. */
  readonly restoredFor?: string;
  /** How its device was wiped before it was made, as it stands there. */
  readonly receipt?: string;
}

/** A claim that says more than which volume it has. */
export interface SeenClaim {
  readonly isLost: boolean;
  readonly pool?: string;
}

/** A pod of a pool. */
export interface AgentPod {
  readonly name: string;
  /** `namespace/name`. */
  readonly pool: string;
  readonly node?: string;
  readonly isReady: boolean;
  /** `namespace/name`. */
  readonly claim?: string;
}

export interface SeenNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
}

/** `name` is that of its ConfigMap, `namespace/name`. */
export type SeenReport = { readonly namespace: string; readonly name: string } & (
  | { readonly job: 'devices'; readonly report: ReadReport }
  | { readonly job: 'lvm'; readonly report: NodeReport }
  | { readonly job: 'unreadable'; readonly of: 'devices' | 'lvm' }
);

/** `namespace` is where the agents report; in all of them unless it is given. */
export function consoleViews(caches: Pick<Caches, 'view'>, namespace?: string): ConsoleViews {
  const source: ViewSource = { view: (resource, spec) => caches.view(resource, { ...spec, optional: true }) };
  return {
    topology: statusViews(source, DEFAULT_POLICY),
    volumes: source.view(PERSISTENT_VOLUMES, { project: seenVolumeOf }),
    deviceVolumes: source.view(PERSISTENT_VOLUMES, { project: labelledDeviceVolumeOf }),
    lvmVolumes: source.view(PERSISTENT_VOLUMES, { project: lvmVolumeOf }),
    claims: source.view(PERSISTENT_VOLUME_CLAIMS, { project: seenClaimOf }),
    agentPods: source.view(PODS, { project: agentPodOf, indexes: { pool: ({ pool }) => [pool] } }),
    nodes: source.view(NODES, { project: seenNodeOf }),
    reports: source.view(CONFIG_MAPS, {
      project: seenReportOf,
      labelSelector: REPORT_LABEL,
      ...(namespace !== undefined && { namespace }),
    }),
    pools: source.view(PV_POOLS, { project: poolOf }),
    syncs: source.view(PERSISTENT_VOLUME_SYNCS, { project: syncOf }),
  };
}

function seenVolumeOf({ metadata, spec = {}, status }: PersistentVolume): SeenVolume {
  const { labels = {}, annotations = {} } = metadata;
  const { claimRef, storageClassName } = spec;
  const receipt = annotations[RECEIPT_ANNOTATION];
  const zone = labels[ZONE];
  const restoredFor = labels[RECOVERY_LABEL];
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    phase: status?.phase ?? 'Pending',
    capacityBytes: bytesIn(spec.capacity?.storage),
    ...(claimRef?.name && { claim: `${claimRef.namespace}/${claimRef.name}` }),
    ...(storageClassName && { storageClass: storageClassName }),
    ...(zone && { zone }),
    createdAt: metadata.creationTimestamp ?? '',
    isDeleting: metadata.deletionTimestamp !== undefined,
    isLocalDisk: labels[NODE_LABEL] !== undefined,
    reclaimPolicy: spec.persistentVolumeReclaimPolicy ?? 'Retain',
    isToBeExported: labels[SYNC_LABEL] === SYNC_ENABLED,
    ...(restoredFor !== undefined && { restoredFor }),
    ...(receipt && { receipt }),
  };
}

function bytesIn(quantity: string | undefined): number {
  try {
    return quantity === undefined ? 0 : Number(Quantity.parse(quantity).toBytesCeil());
  } catch {
    return 0;
  }
}

const labelledDeviceVolumeOf = (volume: PersistentVolume): DeviceVolume | undefined =>
  volume.metadata.labels?.[NODE_LABEL] === undefined ? undefined : deviceVolumeOf(volume);

function seenClaimOf({ metadata, status }: PersistentVolumeClaim): SeenClaim | undefined {
  const isLost = status?.phase === 'Lost';
  const pool = metadata.labels?.[POOL_LABEL];
  return isLost || pool ? { isLost, ...(pool && { pool: `${metadata.namespace}/${pool}` }) } : undefined;
}

function agentPodOf(pod: Pod): AgentPod | undefined {
  const { name = '', namespace = '', labels } = pod.metadata;
  const pool = labels?.[POOL_LABEL];
  if (!pool || hasEnded(pod)) return undefined;
  const [claim] = claimsOf(pod);
  return {
    name,
    pool: `${namespace}/${pool}`,
    ...(pod.spec?.nodeName && { node: pod.spec.nodeName }),
    isReady: readySince(pod) !== undefined,
    ...(claim && { claim: `${namespace}/${claim}` }),
  };
}

function seenNodeOf({ metadata, spec, status }: Node): SeenNode {
  return {
    name: metadata.name ?? '',
    labels: metadata.labels ?? {},
    isReady: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    isCordoned: spec?.unschedulable ?? false,
  };
}

function seenReportOf(map: ConfigMap): SeenReport {
  const { namespace = '', labels } = map.metadata;
  const job = labels?.[REPORT_LABEL];
  const place = { namespace, name: keyOfObject(map) };
  if (job === devicesReports.job) {
    const report = devicesReports.parse(map);
    if (report) return { ...place, job: 'devices', report };
  }
  if (job === lvmReports.job) {
    const report = lvmReports.parse(map);
    if (report) return { ...place, job: 'lvm', report };
  }
  return { ...place, job: 'unreadable', of: job === lvmReports.job ? 'lvm' : 'devices' };
}

/** Without what only machines read. */
const poolOf = ({ metadata, spec, status }: PvPool): PvPool => ({
  metadata: bare(metadata),
  spec,
  ...(status && { status }),
});

const syncOf = ({ metadata, spec, status }: PersistentVolumeSync): PersistentVolumeSync => ({
  metadata: bare(metadata),
  spec,
  ...(status && { status }),
});

const bare = ({ name, namespace, uid, generation, creationTimestamp, annotations }: PvPool['metadata']) => ({
  ...(name !== undefined && { name }),
  ...(namespace !== undefined && { namespace }),
  ...(uid !== undefined && { uid }),
  ...(generation !== undefined && { generation }),
  ...(creationTimestamp !== undefined && { creationTimestamp }),
  ...(annotations && { annotations }),
});
