/** What the caches keep of volumes, claims, pods and nodes: as little as can be decided with. */
import { NODES, type Node } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { claimsOf, hasEnded, PODS, type Pod, readySince } from '../api/pods.ts';
import type { Caches } from '../kit/cache/caches.ts';
import { SharedValues } from '../kit/cache/shared-values.ts';
import { managersOfLabel } from '../kit/kube/managed-fields.ts';
import type { ObjectMeta } from '../kit/kube/resource.ts';
import type { Labels } from '../kit/label-requirements.ts';
import { FIELD_MANAGER } from './contract.ts';
import type { TopologyViews } from './seen.ts';

export interface Volume {
  readonly name: string;
  readonly uid: string;
  /** Only those that we may have to write. */
  readonly labels: Labels;
  /** Who wrote a label that is not from us. */
  readonly writers: Labels;
  readonly claim?: { readonly key: string; readonly uid?: string };
  readonly accessModes: readonly string[];
  readonly hasNodeAffinity: boolean;
}

/** A pod that has not ended and mounts claims. */
export interface MountingPod {
  readonly claims: readonly string[];
  readonly node?: string;
  readonly readySince?: number;
}

export type NodeLabels = Labels;

/** What a source of views has in common with the caches of a running program. */
export type ViewSource = Pick<Caches, 'view'>;

/** `selector` chooses volumes; the server sends no others. */
export function topologyViews(source: ViewSource, labelKeys: readonly string[], selector = ''): TopologyViews {
  return {
    volumes: source.view(PERSISTENT_VOLUMES, { project: volumeOf(labelKeys), labelSelector: selector }),
    claims: source.view(PERSISTENT_VOLUME_CLAIMS, { project: volumeNameOf }),
    pods: source.view(PODS, {
      project: mountingPodOf,
      indexes: { claim: ({ claims }) => claims, node: ({ node }) => (node === undefined ? [] : [node]) },
    }),
    nodes: source.view(NODES, { project: nodeLabelsOf(labelKeys) }),
  };
}

const volumeOf = (labelKeys: readonly string[]) => {
  const shared = new SharedValues();
  return ({ metadata, spec }: PersistentVolume): Volume => {
    const labels = shared.share(only(labelKeys, metadata.labels));
    const { namespace, name, uid } = spec?.claimRef ?? {};
    return {
      name: metadata.name ?? '',
      uid: metadata.uid ?? '',
      labels,
      writers: shared.share(labelsOf(Object.keys(labels).flatMap((key) => foreignWriter(metadata, key)))),
      ...(name && { claim: { key: `${namespace}/${name}`, ...(uid && { uid }) } }),
      accessModes: shared.share(spec?.accessModes ?? []),
      hasNodeAffinity: Boolean(spec?.nodeAffinity),
    };
  };
};

/** The label, and who wrote it, if it was not us. Somebody, where the server does not know. */
function foreignWriter(metadata: ObjectMeta, key: string): readonly (readonly [string, string])[] {
  const managers = managersOfLabel(metadata, key);
  return managers.includes(FIELD_MANAGER) ? [] : [[key, managers[0] || 'somebody']];
}

/** Empty for a claim that has no volume yet: it is there all the same. */
const volumeNameOf = ({ spec }: PersistentVolumeClaim): string => spec?.volumeName ?? '';

function mountingPodOf(pod: Pod): MountingPod | undefined {
  const claims = hasEnded(pod) ? [] : claimsOf(pod);
  if (claims.length === 0) return undefined;
  const node = pod.spec?.nodeName;
  const since = readySince(pod);
  return {
    claims: claims.map((claim) => `${pod.metadata.namespace}/${claim}`),
    ...(node && { node }),
    ...(since !== undefined && { readySince: since }),
  };
}

const nodeLabelsOf =
  (labelKeys: readonly string[]) =>
  ({ metadata }: Node): NodeLabels =>
    only(labelKeys, metadata.labels);

const only = (keys: readonly string[], labels: Labels | undefined): Labels =>
  labelsOf(Object.entries(labels ?? {}).filter(([key]) => keys.includes(key)));

/** Without a prototype: `constructor` is a label like any other, and is not there unless it is. */
const labelsOf = (entries: Iterable<readonly [string, string]>): Labels =>
  Object.assign(Object.create(null), Object.fromEntries(entries));
