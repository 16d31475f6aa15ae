/** Lists and watches pods through the kit's cache, as a controller would: projected, indexed, counted. */
import { Caches } from '../../../src/kit/cache/caches.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { Metrics } from '../../../src/kit/observe/metrics.ts';
import { openLog } from '../../../src/kit/observe/open-log.ts';
import type { Stream } from '../../limits/download-stream.ts';
import type { Contend } from '../../measure/contender.ts';
import { kitConnection } from '../../world/access.ts';
import { PHASES } from '../../world/pod.ts';
import { PODS, podView } from '../pod-view.ts';

const cache: Contend<Pick<Stream, 'access'>> = async ({ access }, meter) => {
  const { client, close } = kitConnection(access);
  const log = openLog({ clock: systemClock, level: 'info' });
  const metrics = new Metrics();
  const caches = new Caches({ client, clock: systemClock, random: Math.random, log, metrics: metrics.reflector });
  const pods = caches.view(PODS, { project: podView, indexes: { node: ({ node }) => [node] } });
  const changed = Promise.withResolvers<void>();
  pods.subscribe(({ after }) => {
    if (after?.phase === PHASES.last) changed.resolve();
  });
  const stop = new AbortController();
  await meter.measure('list', async () => {
    void caches.run(stop.signal);
    await caches.synced(stop.signal);
  });
  meter.count('objects', pods.size);
  await meter.measure('watch', async () => {
    meter.ready();
    await changed.promise;
  });
  stop.abort();
  await close();
};

export default cache;
