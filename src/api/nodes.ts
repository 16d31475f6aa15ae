/** Nodes, as far as our jobs look at them. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';
import type { Taint } from './taints.ts';

export interface Node extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[] | null; readonly unschedulable?: boolean };
}

export const NODES: Resource<Node> = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
