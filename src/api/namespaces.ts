/** Namespaces. */
import type { KubeClient } from '../kit/kube/client.ts';
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

export async function clusterUid(client: KubeClient, signal: AbortSignal): Promise<string> {
  return (await client.get(NAMESPACES, { name: KUBE_SYSTEM }, { signal })).metadata.uid ?? '';
}
