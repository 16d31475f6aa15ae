/** StatefulSets, as far as our jobs make and look at them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface StatefulSet extends KubeObject {
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

export interface StatefulSetSpec {
  readonly replicas?: number;
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> } | null;
  readonly template?: PodTemplate;
  readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate | null };
  readonly volumeClaimTemplates?: readonly ClaimTemplate[] | null;
}

/** Pods from the ordinal `partition` on are brought up to date; those below it stay as they are. */
interface RollingUpdate {
  readonly partition?: number;
}

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly securityContext?: { readonly runAsNonRoot?: boolean } | null;
    readonly containers?: readonly ContainerTemplate[];
  };
}

interface ContainerTemplate {
  readonly name: string;
  readonly image?: string;
}

interface ClaimTemplate {
  readonly metadata?: { readonly name?: string };
  readonly spec?: {
    readonly storageClassName?: string | null;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
}

interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
}

export const STATEFUL_SETS: Resource<StatefulSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
};
