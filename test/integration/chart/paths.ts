/** Where an object that helm has rendered is found on the API server. */
import type { Rendered } from './helm.ts';

const CLUSTER_WIDE = [
  'ClusterRole',
  'CustomResourceDefinition',
  'Namespace',
  'PersistentVolume',
  'StorageClass',
  'ValidatingAdmissionPolicy',
];

type Named = Pick<Rendered, 'apiVersion' | 'kind' | 'metadata'>;

/** `namespace` is that of the release. */
export const pathOf = (object: Named, namespace: string): string =>
  `${collectionOf(object, namespace)}/${object.metadata.name}`;

export function collectionOf({ apiVersion, kind, metadata }: Named, namespace: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const isClusterWide = CLUSTER_WIDE.some((each) => kind === each || kind === `${each}Binding`);
  const within = isClusterWide ? '' : `/namespaces/${metadata.namespace ?? namespace}`;
  const plural = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`.replace(/ys$/, 'ies');
  return `${root}${within}/${plural}`;
}
