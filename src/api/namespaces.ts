/** Namespaces. */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export const NAMESPACES: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

/** It is made with the cluster and never made anew: its uid stands for that of the cluster. */
export const KUBE_SYSTEM = 'kube-system';
