/** Finds the configuration of this node: its Node names a ConfigMap, or there is a default, or nothing is done. */
import { type ParsedConfig, parseConfig } from './config.ts';
import type { DevicesSettings } from './contract.ts';
import type { ConfigText, DevicesViews } from './views.ts';

export type Configuration =
  | ({ readonly is: 'given'; readonly configMap: string } & ParsedConfig)
  /** Nobody asks for anything to be done on this node. */
  | { readonly is: 'none'; readonly why: string }
  /** Somebody does, and it cannot be understood. */
  | { readonly is: 'wrong'; readonly configMap: string; readonly faults: readonly string[] };

export function configurationOf({ nodes, configMaps }: DevicesViews, settings: DevicesSettings): Configuration {
  const { node, namespace, defaultConfigMap } = settings;
  const own = nodes.get(node);
  if (!own) return { is: 'none', why: `the cluster has no node ${node}` };
  const configMap = own.configMap ?? defaultConfigMap;
  if (!configMap)
    return { is: 'none', why: 'the node has no annotation that names a ConfigMap, and there is no default' };
  return { configMap, ...read(configMaps.get(`${namespace}/${configMap}`), `${namespace}/${configMap}`) };
}

type Read = ({ readonly is: 'given' } & ParsedConfig) | { readonly is: 'wrong'; readonly faults: readonly string[] };

function read(text: ConfigText | undefined, name: string): Read {
  if (text === undefined) return { is: 'wrong', faults: [`there is no ConfigMap ${name}`] };
  if (text === 'too-large') return { is: 'wrong', faults: [`the ConfigMap ${name} is too large for a configuration`] };
  const parsed = parseConfig(text);
  return 'faults' in parsed ? { is: 'wrong', faults: parsed.faults } : { is: 'given', ...parsed };
}
