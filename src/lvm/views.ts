/** What the job keeps of the API: the local volumes, its own Node, and the defaults. */
import { CONFIG_MAPS, type ConfigMap } from '../api/config-maps.ts';
import { NODES, type Node } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { Caches } from '../kit/cache/caches.ts';
import type { View } from '../kit/cache/store.ts';
import { REPORT_LABEL } from '../kit/reports/node-reports.ts';
import { DEFAULTS_CONFIG_MAP, type LvmSettings } from './contract.ts';
import { type OwnNode, ownNodeOf } from './home.ts';
import { type Volume, volumeOf } from './volume.ts';

export interface LvmViews {
  readonly volumes: View<Volume>;
  readonly nodes: View<OwnNode & { readonly uid: string }>;
  readonly defaults: View<Readonly<Record<string, string>>>;
}

export type ViewSource = Pick<Caches, 'view'>;

export function lvmViews(
  caches: ViewSource,
  { node, namespace, defaultsMayBeDenied = false }: Pick<LvmSettings, 'node' | 'namespace' | 'defaultsMayBeDenied'>,
): LvmViews {
  return {
    volumes: caches.view(PERSISTENT_VOLUMES, { project: volumeOf }),
    nodes: caches.view(NODES, {
      optional: defaultsMayBeDenied,
      fieldSelector: `metadata.name=${node}`,
      project: nodeOf,
    }),
    defaults: caches.view(CONFIG_MAPS, {
      namespace,
      optional: defaultsMayBeDenied,
      fieldSelector: `metadata.name=${DEFAULTS_CONFIG_MAP}`,
      labelSelector: `!${REPORT_LABEL}`, // as the report of a node with the name "defaults" would be
      project: ({ data = {} }: ConfigMap) => data,
    }),
  };
}

const nodeOf = ({ metadata: { name = '', uid = '', labels = {} } }: Node) => ({ uid, ...ownNodeOf({ name, labels }) });
