/** Pods, as far as our jobs look at them: where they run, whether they are ready, which claims they mount. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';
import type { NodeSelectorObject } from '../kit/node-selectors.ts';
import type { Toleration } from './taints.ts';

export interface Pod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly volumes?: readonly PodVolume[] | null;
    readonly nodeSelector?: Readonly<Record<string, string>> | null;
    readonly affinity?: {
      readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelectorObject } | null;
    } | null;
    readonly tolerations?: readonly Toleration[] | null;
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly PodCondition[] | null;
    readonly containerStatuses?: readonly ContainerStatus[] | null;
  };
}

interface ContainerStatus {
  readonly name?: string;
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } | null } | null;
}

interface PodVolume {
  readonly name?: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string } | null;
  readonly ephemeral?: object | null;
}

interface PodCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export const PODS: Resource<Pod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

/** It will never run again: its volumes are free. */
export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** The claims that it mounts, by name, each once; those that were made for it alone included. */
export const claimsOf = (pod: Pod): readonly string[] => [...new Set([...namedClaimsOf(pod), ...ownClaimsOf(pod)])];

/** Those that it names. */
export const namedClaimsOf = ({ spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName || []);

/** Those that are made for it, and go with it: their names follow from its own. */
const ownClaimsOf = ({ metadata, spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ name, ephemeral }) => (ephemeral && name ? [`${metadata.name}-${name}`] : []));

/** Since when it is ready, as a time in milliseconds; nothing when it is not. */
export function readySince({ status }: Pod): number | undefined {
  if (status?.phase !== 'Running') return undefined;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return undefined;
  return Date.parse(ready.lastTransitionTime ?? '') || 0;
}
