/** Nodes, as far as our jobs look at them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';
import type { Taint } from './taints.ts';

export interface Node extends KubeObject {
  readonly status?: { readonly conditions?: readonly NodeCondition[] };
  readonly spec?: { readonly taints?: readonly Taint[] | null; readonly unschedulable?: boolean };
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
}

export const NODES: Resource<Node> = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
