/** PodDisruptionBudgets: how many pods an eviction may take at the same time. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export interface PodDisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly maxUnavailable?: number | string;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> } | null;
  };
}

export const POD_DISRUPTION_BUDGETS: Resource<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
