/** Reads one after another through the published client. */
import { CoreV1Api } from '@kubernetes/client-node';
import type { Gets } from '../../limits/gets.ts';
import type { Contend } from '../../measure/contender.ts';
import { countSockets } from '../../measure/sockets.ts';
import { configMapName } from '../../world/config-maps.ts';
import { publishedConfig } from './published-config.ts';

const gets: Contend<Gets> = async ({ access, requests }, meter) => {
  const sockets = countSockets();
  const api = publishedConfig(access).makeApiClient(CoreV1Api);
  const ref = { namespace: 'default', name: configMapName(0) };
  await meter.measure('gets', async () => {
    for (let i = 0; i < requests; i++) await api.readNamespacedConfigMap(ref);
  });
  meter.count('connections', sockets());
};

export default gets;
