/** Lists and watches pods through the kit's cache, as a controller would: projected, indexed, counted. */
import { Caches } from '../../../src/kit/cache/caches.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { Metrics } from '../../../src/kit/observe/metrics.ts';
import { openLog } from '../../../src/kit/observe/open-log.ts';
import type { Stream } from '../../limits/download-stream.ts';
import type { Contend } from '../../measure/contender.ts';
import { kitConnection } from '../../world/access.ts';
import { PODS, podView } from '../pod-view.ts';

const cache: Contend<Omit<Stream, 'path'>> = async ({ access, changes }, meter) => {
  const changed = Promise.withResolvers<void>();
  const metrics = new Metrics();
  let left = Number.POSITIVE_INFINITY;
  const counted = (resource: string) => {
    const family = metrics.reflector(resource);
    const event: typeof family.event = (type) => {
      family.event(type);
      if (type !== 'BOOKMARK' && --left === 0) changed.resolve();
    };
    return { ...family, event };
  };
  const { client, close } = kitConnection(access);
  const log = openLog({ clock: systemClock, level: 'info' });
  const caches = new Caches({ client, clock: systemClock, random: Math.random, log, metrics: counted });
  const pods = caches.view(PODS, { project: podView, indexes: { node: ({ node }) => [node] } });
  const stop = new AbortController();
  await meter.measure('list', async () => {
    void caches.run(stop.signal);
    await caches.synced(stop.signal);
  });
  meter.count('objects', pods.size);
  let seen = 0;
  pods.subscribe(() => seen++);
  left = changes;
  await meter.measure('watch', async () => {
    meter.ready();
    await changed.promise;
  });
  meter.count('changes seen', seen);
  stop.abort();
  await close();
};

export default cache;
