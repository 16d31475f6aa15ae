/** Lists and watches pods through the published client's informer, in the way that its own examples show. */
import { CoreV1Api, makeInformer } from '@kubernetes/client-node';
import type { Stream } from '../../limits/download-stream.ts';
import type { Contend } from '../../measure/contender.ts';
import { PHASES } from '../../world/pod.ts';
import { publishedConfig } from './published-config.ts';

const informer: Contend<Stream> = async ({ access, path }, meter) => {
  const changed = Promise.withResolvers<void>();
  const config = publishedConfig(access);
  const api = config.makeApiClient(CoreV1Api);
  const pods = makeInformer(config, path, () => api.listPodForAllNamespaces());
  pods.on('update', ({ status }) => {
    if (status?.phase === PHASES.last) changed.resolve();
  });
  pods.on('error', changed.reject);
  await meter.measure('list', () => pods.start());
  meter.count('objects', pods.list().length);
  await meter.measure('watch', async () => {
    meter.ready();
    await changed.promise;
  });
  await pods.stop();
};

export default informer;
