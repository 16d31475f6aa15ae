/**
 * What an exported volume or claim becomes here: without what belongs to the cluster that it comes from, with our label, with names as
 * they are at this site, and tied to its own counterpart only. Pure.
 */
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { apiVersionOf, type KubeObject, keyOfObject, type ObjectMeta, type Resource } from '../../kit/kube/resource.ts';
import { Quantity } from '../../kit/quantity.ts';
import {
  CLAIM_PROTECTION,
  DRILL_LABEL,
  OWN_PREFIX,
  RECOVERY_LABEL,
  type SyncSpec,
  VOLUME_PROTECTION,
} from '../contract.ts';
import type { ExportedClaimSpec, ExportedVolumeSpec } from './exported-spec.ts';
import { mappedClass, mappedVolume } from './mapping.ts';
import { checkedClaimSpec, checkedVolumeSpec, type Outline, type OutlinedVolume } from './outline.ts';

/** For whom, and how. */
export interface Restoring {
  /** The name of the resource. */
  readonly sync: string;
  readonly spec: Pick<SyncSpec, 'binding' | 'mappings'>;
}

export interface DesiredVolume extends KubeObject {
  readonly metadata: DesiredMeta;
  readonly spec: ExportedVolumeSpec;
}

export interface DesiredClaim extends KubeObject {
  readonly metadata: DesiredMeta;
  readonly spec: ExportedClaimSpec;
}

export type DesiredMeta = Required<Pick<ObjectMeta, 'name' | 'labels' | 'annotations' | 'finalizers'>> &
  Pick<ObjectMeta, 'namespace'>;

export function desiredVolume(volume: KubeObject, { sync, spec }: Restoring): DesiredVolume {
  const { claimRef, ...rest } = mappedVolume(checkedVolumeSpec(volume), spec.mappings);
  return {
    ...typeOf(PERSISTENT_VOLUMES),
    metadata: desiredMeta(volume, sync, VOLUME_PROTECTION),
    spec: {
      ...rest,
      // Whatever becomes of the claim, the data stays.
      persistentVolumeReclaimPolicy: 'Retain',
      ...(claimRef && spec.binding !== 'Local' && { claimRef: reservation(claimRef) }),
    },
  };
}

/** Reserved for whoever has that name. With the uid of the other cluster nobody could ever have it. */
const reservation = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => ({
  ...typeOf(PERSISTENT_VOLUME_CLAIMS),
  namespace,
  name,
});

export function desiredClaim(claim: KubeObject, restoring: Restoring, outline: Outline): DesiredClaim {
  const { sync, spec } = restoring;
  const { volumeName: _, ...rest } = checkedClaimSpec(claim);
  const name = volumeOf(keyOfObject(claim), outline, spec.binding);
  const volume = name === undefined ? undefined : outline.volumes.get(name);
  const fitted = volume ? { ...fittedTo(volume, rest), volumeName: name } : rest;
  const { storageClassName } = fitted;
  return {
    ...typeOf(PERSISTENT_VOLUME_CLAIMS),
    metadata: desiredMeta(claim, sync, CLAIM_PROTECTION),
    spec: { ...fitted, ...(storageClassName && { storageClassName: mappedClass(storageClassName, spec.mappings) }) },
  };
}

/**
 * As the binder wants it: a claim of the class of its volume, which asks for no more than that has. Without a class it would be given the
 * default one of this cluster; and it asks for more while its volume is about to grow.
 */
function fittedTo({ className = '', size }: OutlinedVolume, claim: ExportedClaimSpec): ExportedClaimSpec {
  const { resources } = claim;
  const { storage } = resources.requests;
  // Mostly they are the same, and need not be read.
  const isTooLarge =
    size !== undefined && size !== storage && Quantity.parse(storage).compare(Quantity.parse(size)) > 0;
  const requests = { ...resources.requests, storage: isTooLarge ? size : storage };
  return { ...claim, storageClassName: className, resources: { ...resources, requests } };
}

/** The volume that a claim keeps: it is in the export, and is not another's. */
export function volumeOf(key: string, { volumes, claims }: Outline, binding: SyncSpec['binding']): string | undefined {
  const name = claims.get(key)?.volumeName;
  const volume = name === undefined ? undefined : volumes.get(name);
  if (!volume || binding === 'Local') return undefined;
  return volume.claim === undefined || volume.claim === key ? name : undefined;
}

const typeOf = (resource: Resource) => ({ apiVersion: apiVersionOf(resource), kind: resource.kind });

function desiredMeta({ metadata }: KubeObject, sync: string, protection: string): DesiredMeta {
  const { name = '', namespace, labels, annotations } = metadata;
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: { ...kept(labels, isLabelKept), [RECOVERY_LABEL]: sync },
    annotations: kept(annotations, isAnnotationKept),
    finalizers: [protection],
  };
}

/** A key may be called `__proto__`. */
const kept = (texts: ObjectMeta['labels'] | null, isKept: (key: string) => boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => isKept(key)));

/** What has the label of a drill is removed after one. */
const isLabelKept = (key: string): boolean => !key.startsWith(OWN_PREFIX) && key !== DRILL_LABEL;

const isAnnotationKept = (key: string): boolean => !key.startsWith(OWN_PREFIX) && !key.includes('kubernetes.io/');
