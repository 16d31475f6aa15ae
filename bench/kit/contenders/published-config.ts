/** The published client's view of how to reach the API server. */
import { KubeConfig } from '@kubernetes/client-node';
import type { Access } from '../../world/access.ts';

export function publishedConfig({ url, ca, token }: Access): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'bench', server: url, caData: Buffer.from(ca).toString('base64') }],
    users: [{ name: 'bench', token }],
    contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
    currentContext: 'bench',
  });
  return config;
}
