/** PersistentVolumes, as far as our jobs look at them. Every field may be missing: nothing is known of an object before it was looked at. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';
import type { NodeSelectorObject } from '../kit/node-selectors.ts';

export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod';

export interface PersistentVolume extends KubeObject {
  readonly spec?: {
    readonly accessModes?: readonly string[];
    readonly capacity?: Readonly<Record<string, string>>;
    readonly claimRef?: ClaimReference;
    readonly csi?: { readonly driver?: string; readonly volumeHandle?: string };
    readonly hostPath?: { readonly path?: string };
    readonly local?: LocalVolume;
    readonly mountOptions?: readonly string[];
    readonly nfs?: { readonly server?: string; readonly path?: string };
    readonly nodeAffinity?: { readonly required?: NodeSelectorObject } | null;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string };
}

/** A disk, a partition or a directory of one node. */
export interface LocalVolume {
  readonly path?: string;
  readonly fsType?: string;
}

/** Which claim a volume belongs to. Without a uid it is only reserved: whoever takes the name gets it. */
export interface ClaimReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
}

export const PERSISTENT_VOLUMES: Resource<PersistentVolume> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
};
