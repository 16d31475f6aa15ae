/** What a controller of volumes would keep of a pod: where it runs, on which claims, and whether it is well. */
import type { KubeObject, Resource } from '../../src/kit/kube/resource.ts';

export interface Pod extends KubeObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export const PODS: Resource<Pod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

export interface PodView {
  readonly name: string;
  readonly namespace: string;
  readonly node: string;
  readonly phase: string;
  readonly claims: readonly string[];
  readonly ready: boolean;
}

export function podView({ metadata, spec, status }: Pod): PodView {
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    node: spec.nodeName ?? '',
    phase: status.phase ?? '',
    claims: (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    ready: (status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True'),
  };
}
