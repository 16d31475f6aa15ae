/** What the caches keep of pools and what belongs to them. */
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../api/persistent-volume-claims.ts';
import { POD_DISRUPTION_BUDGETS } from '../api/pod-disruption-budgets.ts';
import { PODS, type Pod, readySince } from '../api/pods.ts';
import { SERVICES } from '../api/services.ts';
import { STATEFUL_SETS, type StatefulSet } from '../api/stateful-sets.ts';
import { STORAGE_CLASSES, type StorageClass } from '../api/storage-classes.ts';
import type { Caches } from '../kit/cache/caches.ts';
import type { View } from '../kit/cache/store.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { Quantity } from '../kit/quantity.ts';
import { visible } from '../kit/visible.ts';
import { CONTAINER, POOL_LABEL, PV_POOLS, type PvPool, REVISION_LABEL } from './contract.ts';
import { memberOfClaim } from './names.ts';
import type { SeenClaim, SeenClass, SeenPod } from './seen.ts';

export type ViewSource = Pick<Caches, 'view'>;

/** An object of which only matters that it is there, and whose it is. */
export interface OwnedObject {
  readonly owner: string | undefined;
  readonly pool: string | undefined;
}

export interface PoolViews {
  readonly pools: View<PvPool>;
  readonly sets: View<StatefulSet>;
  readonly services: View<OwnedObject>;
  readonly budgets: View<OwnedObject>;
  readonly pods: View<PoolPod, 'pool'>;
  readonly claims: View<PoolClaim, 'pool'>;
  readonly classes: View<SeenClass>;
}

/** `pool` is `namespace/name`. */
export type PoolPod = SeenPod & { readonly pool: string };
export type PoolClaim = SeenClaim & { readonly pool: string };

export function poolViews(source: ViewSource): PoolViews {
  const byPool = { pool: ({ pool }: { readonly pool: string }) => [pool] };
  return {
    pools: source.view(PV_POOLS, { project: withoutManagers }),
    sets: source.view(STATEFUL_SETS, { project: setOfAPool }),
    services: source.view(SERVICES, { project: ownedObject('-srv') }),
    budgets: source.view(POD_DISRUPTION_BUDGETS, { project: ownedObject('-pdb') }),
    pods: source.view(PODS, { project: podOf, labelSelector: POOL_LABEL, indexes: byPool }),
    claims: source.view(PERSISTENT_VOLUME_CLAIMS, { project: claimOf, indexes: byPool }),
    classes: source.view(STORAGE_CLASSES, { project: classOf }),
  };
}

/** Nobody here asks who wrote a field, and it is half of the object. */
function withoutManagers<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const setOfAPool = (set: StatefulSet): StatefulSet | undefined =>
  set.metadata.name?.endsWith('-sts') ? withoutManagers(set) : undefined;

const ownedObject =
  (suffix: string) =>
  ({ metadata: { name = '', ownerReferences = [], labels } }: KubeObject): OwnedObject | undefined =>
    name.endsWith(suffix)
      ? { owner: ownerReferences.find(({ controller }) => controller)?.uid, pool: labels?.[POOL_LABEL] }
      : undefined;

export function podOf(pod: Pod): PoolPod | undefined {
  const { name = '', namespace, uid = '', labels, ownerReferences = [], deletionTimestamp } = pod.metadata;
  const pool = labels?.[POOL_LABEL];
  if (pool === undefined) return undefined;
  return {
    pool: `${namespace}/${pool}`,
    name,
    uid,
    setUid: ownerReferences.find(({ controller }) => controller)?.uid,
    revision: labels?.[REVISION_LABEL],
    ip: pod.status?.phase === 'Running' ? pod.status.podIP || undefined : undefined,
    isReady: readySince(pod) !== undefined,
    isDeleting: deletionTimestamp !== undefined,
    why: troubleOf(pod),
  };
}

/** Waiting is no trouble while an image is fetched or a volume attached. */
const PATIENT_REASONS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
const LONGEST_WHY = 200;

function troubleOf({ status }: Pod): string | undefined {
  const { waiting } = status?.containerStatuses?.find(({ name }) => name === CONTAINER)?.state ?? {};
  const unplaced = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  const [reason, message] =
    waiting?.reason && !PATIENT_REASONS.has(waiting.reason)
      ? [waiting.reason, waiting.message]
      : [unplaced?.reason, unplaced?.message];
  if (status?.phase === 'Failed') return 'it has failed';
  if (!reason) return undefined;
  return visible(`${reason}${message ? `: ${message}` : ''}`.slice(0, LONGEST_WHY));
}

export function claimOf({ metadata, spec, status }: PersistentVolumeClaim): PoolClaim | undefined {
  const { name = '', namespace, uid = '', resourceVersion = '', ownerReferences = [], labels } = metadata;
  const member = memberOfClaim(name);
  if (!member) return undefined;
  return {
    pool: `${namespace}/${member.pool}`,
    name,
    ordinal: member.ordinal,
    uid,
    resourceVersion,
    owners: ownerReferences,
    isOwnedBy: ownerReferences.map((owner) => owner.uid),
    label: labelOf(labels?.[POOL_LABEL], member.pool),
    isDeleting: metadata.deletionTimestamp !== undefined,
    isBound: status?.phase === 'Bound',
    className: spec?.storageClassName ?? undefined,
    requestedBytes: bytesOf(spec?.resources?.requests?.storage),
    capacityBytes: bytesOf(status?.capacity?.storage),
    isFilesystemPending: hasCondition(status, 'FileSystemResizePending'),
    resizeFault: resizeFault(status),
  };
}

const labelOf = (label: string | undefined, pool: string): SeenClaim['label'] => {
  if (label === undefined) return 'none';
  return label === pool ? 'ours' : 'another';
};

type ClaimStatus = PersistentVolumeClaim['status'];

const hasCondition = (status: ClaimStatus, wanted: string): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === wanted && is === 'True');

function resizeFault(status: ClaimStatus): string | undefined {
  const failed = (status?.conditions ?? []).find(
    ({ type, status: is }) => is === 'True' && (type === 'ControllerResizeError' || type === 'NodeResizeError'),
  );
  const infeasible = status?.allocatedResourceStatuses?.storage;
  if (infeasible?.endsWith('Infeasible')) return visible(failed?.message ?? infeasible);
  return failed && visible(`${failed.message ?? failed.type}`.slice(0, LONGEST_WHY));
}

/** What cannot be read asks for nothing. */
function bytesOf(quantity: string | undefined): bigint {
  try {
    return quantity === undefined ? 0n : Quantity.parse(quantity).toBytesCeil();
  } catch {
    return 0n;
  }
}

const classOf = ({ allowVolumeExpansion }: StorageClass): SeenClass => ({ canExpand: allowVolumeExpansion === true });
