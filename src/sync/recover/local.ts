/**
 * What the caches keep of the volumes, claims and namespaces of this cluster: of those that are ours all that may have to be changed,
 * of others only what tells whether they are in the way.
 */
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import type { View } from '../../kit/cache/store.ts';
import { formatJson, parseJson } from '../../kit/kube/json.ts';
import { annotationsManagedBy, labelsManagedBy } from '../../kit/kube/managed-fields.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../kit/kube/resource.ts';
import { DRILL_LABEL, FIELD_MANAGER, RECOVERY_LABEL, SYNC_ENABLED, SYNC_LABEL } from '../contract.ts';
import { type Captured, captured } from '../export/document.ts';
import { untied } from './ownership.ts';
import { movableSource, sourceKey } from './shared-source.ts';
import { sourceMark } from './source-mark.ts';

interface Local {
  /** The resource that it was restored for. */
  readonly recovery?: string;
  readonly isDeleting?: true;
  /** Of one that was restored: that the original has tied it to its resource. */
  readonly isTied?: true;
  /** Of one that was restored: `Content` as JSON. */
  readonly content?: string;
  /** Of one that is in the scope of exports: how it stands in one. */
  readonly captured?: Captured;
}

export interface LocalVolume extends Local {
  readonly sourceMark: string;
  /** The claim that it is reserved for or bound to, as `namespace/name`. */
  readonly claim?: string;
  /** Only of one that has been bound. */
  readonly claimUid?: string;
  /** As `sourceKey` writes it. That of a copy for a drill is meant to be another's, for a while. */
  readonly source?: string;
  readonly reclaimPolicy: string;
  readonly phase: string;
}

export interface LocalClaim extends Local {
  readonly volumeName?: string;
  readonly isBound?: true;
  readonly className?: string;
  /** As `accessModesOf` writes them. */
  readonly accessModes: string;
}

export interface LocalNamespace {
  readonly isTerminating: boolean;
}

export type LocalVolumes = Pick<View<LocalVolume, 'recovery' | 'tied' | 'source'>, 'get' | 'identityOf' | 'keysBy'>;
export type LocalClaims = Pick<View<LocalClaim, 'recovery' | 'tied'>, 'get' | 'identityOf' | 'keysBy'>;
export type LocalNamespaces = Pick<View<LocalNamespace>, 'get'>;

/** All of a restored object that may have to be changed. */
export interface Content {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly OwnerReference[];
  /** The keys of labels and annotations that we have written: only these are ours to remove. */
  readonly written: { readonly labels: readonly string[]; readonly annotations: readonly string[] };
  readonly spec: Readonly<Record<string, unknown>>;
}

export const contentOf = (local: { readonly content?: string }): Content => parseJson(local.content ?? '{}') as Content;

/** Their order says nothing. */
export const accessModesOf = (spec: { readonly accessModes?: readonly string[] | undefined } | undefined): string =>
  (spec?.accessModes ?? []).toSorted().join(' ');

const byRecovery = ({ recovery }: Local): readonly string[] => (recovery === undefined ? [] : [recovery]);

/** Those that the original has tied to their resource. */
const byOwner = (local: Local): readonly string[] => (local.isTied ? byRecovery(local) : []);

export const VOLUME_INDEXES = {
  recovery: byRecovery,
  tied: byOwner,
  source: ({ source }: LocalVolume): readonly string[] => (source === undefined ? [] : [source]),
};
export const CLAIM_INDEXES = { recovery: byRecovery, tied: byOwner };

export function projectVolume(volume: PersistentVolume): LocalVolume {
  const { spec, status, metadata } = volume;
  const { claimRef } = spec ?? {};
  const source = isOfDrill(metadata) ? undefined : movableSource(spec ?? {});
  return {
    ...localOf(volume),
    ...(isInScope(metadata) && { captured: captured(PERSISTENT_VOLUMES, volume) }),
    sourceMark: sourceMark(spec),
    ...(claimRef && { claim: `${claimRef.namespace}/${claimRef.name}` }),
    ...(claimRef?.uid && { claimUid: claimRef.uid }),
    ...(source && { source: sourceKey(source) }),
    reclaimPolicy: spec?.persistentVolumeReclaimPolicy ?? '',
    phase: status?.phase ?? '',
  };
}

export function projectClaim(claim: PersistentVolumeClaim): LocalClaim {
  const { spec, status, metadata } = claim;
  return {
    ...localOf(claim),
    ...(isInScope(metadata) && { captured: captured(PERSISTENT_VOLUME_CLAIMS, claim) }),
    ...(spec?.volumeName && { volumeName: spec.volumeName }),
    ...(status?.phase === 'Bound' && { isBound: true }),
    ...(spec?.storageClassName && { className: spec.storageClassName }),
    accessModes: accessModesOf(spec),
  };
}

/** A namespace that goes takes all that is in it with it, and nothing can be made in it. */
export const projectNamespace = ({ metadata }: KubeObject): LocalNamespace => ({
  isTerminating: metadata.deletionTimestamp !== undefined,
});

const isOfDrill = ({ labels }: ObjectMeta): boolean => labels?.[DRILL_LABEL] !== undefined;

const isInScope = ({ labels }: ObjectMeta): boolean => labels?.[SYNC_LABEL] === SYNC_ENABLED;

function localOf(object: KubeObject & { readonly spec?: object }): Local {
  const { labels, deletionTimestamp } = object.metadata;
  const recovery = labels?.[RECOVERY_LABEL];
  return {
    ...(deletionTimestamp !== undefined && { isDeleting: true }),
    ...(recovery !== undefined && { recovery, content: formatJson(wholeContent(object)) }),
    ...(recovery !== undefined && untied(object.metadata) && { isTied: true }),
  };
}

function wholeContent({ metadata, spec = {} }: KubeObject & { readonly spec?: object }): Content {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const written = {
    labels: labelsManagedBy(metadata, FIELD_MANAGER),
    annotations: annotationsManagedBy(metadata, FIELD_MANAGER),
  };
  return { labels, annotations, finalizers, ownerReferences, written, spec: { ...spec } };
}
