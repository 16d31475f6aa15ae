/** What the cache keeps of a volume of ours. */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { OwnerReference } from '../kit/kube/resource.ts';
import { Quantity } from '../kit/quantity.ts';
import {
  DEVICE_ANNOTATION,
  HOSTNAME_LABEL,
  NODE_LABEL,
  NODE_LABELS,
  SETTING_PREFIX,
  TROUBLE_ANNOTATION,
  WIPE_FINALIZER,
} from './contract.ts';
import { type Identity, parseIdentity } from './identity.ts';

export interface Volume {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The node that its label names. */
  readonly node: string;
  /** The node that it can be used on: the only one of its node affinity. */
  readonly affinity?: string;
  readonly phase: string;
  /** The claim that it belongs to, `namespace/name`. */
  readonly claim?: string;
  readonly claimUid?: string;
  readonly path: string;
  /** Of a volume of that kind, which is none of ours. */
  readonly hostPath?: string;
  readonly volumeMode: string;
  readonly fsType?: string;
  readonly storageClassName: string;
  readonly capacityBytes?: number;
  /** As recorded when it was made; volumes of the original have none. */
  readonly identity?: Identity;
  /** Those of its labels, and of its annotations, that we look after. */
  readonly labels: Readonly<Record<string, string>>;
  readonly marks: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
  readonly hasWipeFinalizer: boolean;
}

export function volumeOf({ metadata, spec = {}, status }: PersistentVolume): Volume {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const { claimRef, local, hostPath } = spec;
  const identity = parseIdentity(annotations[DEVICE_ANNOTATION]);
  const capacityBytes = bytesIn(spec.capacity?.storage);
  const affinity = onlyHostOf(spec);
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    node: labels[NODE_LABEL] ?? '',
    ...(affinity !== undefined && { affinity }),
    phase: status?.phase ?? 'Pending',
    ...(claimRef?.name && { claim: `${claimRef.namespace}/${claimRef.name}` }),
    ...(claimRef?.uid && { claimUid: claimRef.uid }),
    path: local?.path ?? '',
    ...(hostPath?.path && { hostPath: hostPath.path }),
    volumeMode: spec.volumeMode ?? 'Filesystem',
    ...(local?.fsType && { fsType: local.fsType }),
    storageClassName: spec.storageClassName ?? '',
    ...(capacityBytes !== undefined && { capacityBytes }),
    ...(identity && { identity }),
    labels: only(isOurLabel, labels),
    marks: only(isOurAnnotation, annotations),
    owners: ownerReferences,
    finalizers,
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasWipeFinalizer: finalizers.includes(WIPE_FINALIZER),
  };
}

const isOurLabel = (key: string): boolean => (NODE_LABELS as readonly string[]).includes(key);
const isOurAnnotation = (key: string): boolean =>
  key.startsWith(SETTING_PREFIX) || key === DEVICE_ANNOTATION || key === TROUBLE_ANNOTATION;

const only = (keep: (key: string) => boolean, of: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(of).filter(([key]) => keep(key)));

/** Nothing unless it is one node, and nothing else, that the volume asks for. */
function onlyHostOf({ nodeAffinity }: NonNullable<PersistentVolume['spec']>): string | undefined {
  const terms = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const [expression, ...others] = terms.flatMap(({ matchExpressions, matchFields }) => [
    ...(matchExpressions ?? []),
    ...(matchFields ?? []),
  ]);
  if (terms.length !== 1 || others.length > 0 || !expression) return undefined;
  const { key, operator, values } = expression;
  return key === HOSTNAME_LABEL && operator === 'In' && values?.length === 1 ? values[0] : undefined;
}

/** However it is spelled. */
function bytesIn(quantity: string | undefined): number | undefined {
  try {
    return quantity === undefined ? undefined : Number(Quantity.parse(quantity).toBytesCeil());
  } catch {
    return undefined;
  }
}
