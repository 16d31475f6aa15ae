/** StorageClasses, as far as our jobs look at them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface StorageClass extends KubeObject {
  readonly provisioner?: string;
  readonly allowVolumeExpansion?: boolean;
  readonly volumeBindingMode?: string;
}

export const STORAGE_CLASSES: Resource<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
};
