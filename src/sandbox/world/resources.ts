/** The kinds that the world looks at, with the fields that it needs beyond those that our jobs do. */
import { NODES as ALL_NODES, type Node as ApiNode } from '../../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import { PODS as ALL_PODS, type Pod as ApiPod } from '../../api/pods.ts';
import { STATEFUL_SETS, type StatefulSet } from '../../api/stateful-sets.ts';
import { STORAGE_CLASSES, type StorageClass } from '../../api/storage-classes.ts';
import type { KubeObject, Resource } from '../../kit/kube/resource.ts';
import type { Labels } from '../../kit/label-requirements.ts';
import type { LabelSelectorObject } from '../../kit/selectors.ts';

export interface Volume extends PersistentVolume {
  readonly status?: PersistentVolume['status'] & {
    readonly lastPhaseTransitionTime?: string;
    readonly message?: string;
  };
}

export interface Claim extends PersistentVolumeClaim {
  readonly spec?: PersistentVolumeClaim['spec'] & {
    readonly selector?: LabelSelectorObject | null;
    readonly volumeMode?: string;
  };
  readonly status?: PersistentVolumeClaim['status'] & { readonly accessModes?: readonly string[] };
}

export interface Class extends StorageClass {
  readonly volumeBindingMode?: string;
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
}

export interface Pod extends ApiPod {
  readonly spec?: ApiPod['spec'] & {
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
    readonly terminationGracePeriodSeconds?: number;
    readonly schedulerName?: string;
  };
  readonly status?: Omit<NonNullable<ApiPod['status']>, 'containerStatuses'> & {
    readonly startTime?: string;
    readonly containerStatuses?: readonly object[] | null;
  };
}

export interface Node extends ApiNode {
  readonly status?: {
    readonly conditions?: readonly (NonNullable<NonNullable<ApiNode['status']>['conditions']>[number] & {
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string | null;
    })[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

export interface Set extends StatefulSet {
  readonly spec?: StatefulSet['spec'] & {
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string };
    readonly minReadySeconds?: number;
    readonly ordinals?: { readonly start?: number };
  };
  readonly status?: StatefulSet['status'] & {
    readonly availableReplicas?: number;
    readonly currentReplicas?: number;
    readonly collisionCount?: number;
  };
}

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly object[] };
}

export const VOLUMES: Resource<Volume> = PERSISTENT_VOLUMES;
export const CLAIMS: Resource<Claim> = PERSISTENT_VOLUME_CLAIMS;
export const CLASSES: Resource<Class> = STORAGE_CLASSES;
export const PODS: Resource<Pod> = ALL_PODS;
export const NODES: Resource<Node> = ALL_NODES;
export const SETS: Resource<Set> = STATEFUL_SETS;

export const labelsOf = ({ metadata }: KubeObject): Labels => metadata.labels ?? {};
