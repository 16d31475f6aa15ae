/** PersistentVolumeClaims, as far as our jobs look at them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec?: {
    readonly accessModes?: readonly string[];
    readonly volumeName?: string;
    readonly storageClassName?: string | null;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  readonly status?: {
    readonly phase?: string;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly conditions?: readonly ClaimCondition[] | null;
    /** Of a resize that cannot succeed, `ControllerResizeInfeasible` or `NodeResizeInfeasible`. */
    readonly allocatedResourceStatuses?: Readonly<Record<string, string>>;
  };
}

interface ClaimCondition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
}

export const PERSISTENT_VOLUME_CLAIMS: Resource<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
};
