/** What the job keeps of the API: its own Node, the volumes of that, and the ConfigMaps of its namespace. Nothing of other nodes. */
import { CONFIG_MAPS, type ConfigMap } from '../api/config-maps.ts';
import { NODES, type Node } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { Caches } from '../kit/cache/caches.ts';
import type { View } from '../kit/cache/store.ts';
import { REPORT_LABEL } from '../kit/reports/node-reports.ts';
import { APPROVALS_ANNOTATION, CONFIG_ANNOTATION, NODE_LABEL } from './contract.ts';
import { isNamed, keyOf } from './identity.ts';
import { type Volume, volumeOf } from './volume.ts';

export interface DevicesViews {
  readonly nodes: View<OwnNodeView>;
  readonly volumes: View<Volume, 'device'>;
  readonly configMaps: View<ConfigText>;
}

export interface OwnNodeView {
  readonly uid: string;
  /** The name of its ConfigMap. */
  readonly configMap?: string;
  readonly approvals?: string;
}

/** What is too large for a configuration is not kept. */
export type ConfigText = Readonly<Record<string, string>> | 'too-large';

const MOST_CHARACTERS = 16_384;

export type ViewSource = Pick<Caches, 'view'>;

export function devicesViews(caches: ViewSource, node: string, namespace: string): DevicesViews {
  return {
    nodes: caches.view(NODES, { fieldSelector: `metadata.name=${node}`, project: nodeOf }),
    volumes: caches.view(PERSISTENT_VOLUMES, {
      labelSelector: `${NODE_LABEL}=${node}`,
      project: volumeOf,
      indexes: { device: deviceOf },
    }),
    configMaps: caches.view(CONFIG_MAPS, { namespace, labelSelector: `!${REPORT_LABEL}`, project: textOf }),
  };
}

function nodeOf({ metadata }: Node): OwnNodeView {
  const { uid = '', annotations = {} } = metadata;
  const { [CONFIG_ANNOTATION]: configMap, [APPROVALS_ANNOTATION]: approvals } = annotations;
  return { uid, ...(configMap && { configMap }), ...(approvals && { approvals }) };
}

function textOf({ data = {} }: ConfigMap): ConfigText {
  const characters = Object.entries(data).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return characters > MOST_CHARACTERS ? 'too-large' : data;
}

/** Only what has a name of its own can be told by it. */
const deviceOf = ({ identity, path }: Volume): readonly string[] =>
  identity && isNamed(identity) ? [keyOf(identity, path)] : [];
