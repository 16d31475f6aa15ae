/** PersistentVolumeClaims, as far as our jobs look at them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec?: { readonly volumeName?: string };
}

export const PERSISTENT_VOLUME_CLAIMS: Resource<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
};
