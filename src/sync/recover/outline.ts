/**
 * What has to be known of all objects of an export before anything can be said of one: which volume and claim belong together, and where
 * their data is. Small, since an export may have a hundred thousand objects.
 */
import { type KubeObject, keyOfObject } from '../../kit/kube/resource.ts';
import type { ExportDocument } from '../export/document.ts';
import { claimSpec, type ExportedClaimSpec, type ExportedVolumeSpec, volumeSpec } from './exported-spec.ts';
import { type MovableSource, movableSource } from './shared-source.ts';

export interface Outline {
  /** By their names. */
  readonly volumes: ReadonlyMap<string, OutlinedVolume>;
  /** By `namespace/name`. */
  readonly claims: ReadonlyMap<string, OutlinedClaim>;
}

export interface OutlinedVolume {
  /** Why it cannot be restored at all. */
  readonly fault?: string;
  /** The claim that it belongs to, as `namespace/name`. */
  readonly claim?: string;
  readonly source?: MovableSource;
  /** That it is a path on a node, and how. */
  readonly onNode?: NodeSource;
  readonly className?: string;
  readonly size?: string;
}

export type NodeSource = 'hostPath' | 'local';
const NODE_SOURCES = ['hostPath', 'local'] as const satisfies readonly NodeSource[];

export interface OutlinedClaim {
  readonly fault?: string;
  readonly volumeName?: string;
}

/** Reads all of the export: throws `ExportIsUnreadable` when an object of it cannot be read. Yields after each object, so that others get their turn. */
export function* outlining(document: ExportDocument): Generator<void, Outline> {
  const volumes = new Map<string, OutlinedVolume>();
  const claims = new Map<string, OutlinedClaim>();
  for (const _ of document.storageClasses) yield;
  for (const volume of document.volumes) {
    const read = volumeSpec(volume);
    volumes.set(keyOfObject(volume), 'fault' in read ? read : outlinedVolume(read.spec));
    yield;
  }
  for (const claim of document.claims) {
    const read = claimSpec(claim);
    claims.set(keyOfObject(claim), 'fault' in read ? read : outlinedClaim(read.spec));
    yield;
  }
  return { volumes, claims };
}

function outlinedVolume(spec: ExportedVolumeSpec): OutlinedVolume {
  const { claimRef, storageClassName, capacity } = spec;
  const source = movableSource(spec);
  const onNode = NODE_SOURCES.find((each) => spec[each] !== undefined);
  return {
    ...(claimRef && { claim: `${claimRef.namespace}/${claimRef.name}` }),
    ...(source && { source }),
    ...(onNode && { onNode }),
    ...(storageClassName && { className: storageClassName }),
    size: capacity.storage,
  };
}

const outlinedClaim = ({ volumeName }: ExportedClaimSpec): OutlinedClaim => (volumeName ? { volumeName } : {});

/** Their specs have been read when the outline was made, and are as they should be. */
export const checkedVolumeSpec = (volume: KubeObject): ExportedVolumeSpec =>
  (volume as { readonly spec?: unknown }).spec as ExportedVolumeSpec;
export const checkedClaimSpec = (claim: KubeObject): ExportedClaimSpec =>
  (claim as { readonly spec?: unknown }).spec as ExportedClaimSpec;
