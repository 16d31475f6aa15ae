/** Where the objects of these benchmarks are in the API. */
import type { KubeObject, Resource } from '../../src/kit/kube/resource.ts';

export const CONFIG_MAPS: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
