/** Many keys at once through a queue and a controller that has nothing to do for any of them. */
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { Controller } from '../../../src/kit/controller/controller.ts';
import { done } from '../../../src/kit/controller/outcome.ts';
import { Metrics } from '../../../src/kit/observe/metrics.ts';
import { openLog } from '../../../src/kit/observe/open-log.ts';
import type { Contend } from '../../measure/contender.ts';

export interface Keys {
  readonly keys: number;
}

const keys: Contend<Keys> = async ({ keys: count }, meter) => {
  const metrics = new Metrics();
  const finished = Promise.withResolvers<void>();
  let reconciled = 0;
  const controller = new Controller(
    {
      name: 'bench',
      sources: [],
      async reconcile() {
        if (++reconciled === count) finished.resolve();
        return done;
      },
    },
    {
      clock: systemClock,
      random: Math.random,
      log: openLog({ clock: systemClock, level: 'info' }),
      metrics: metrics.controller('bench'),
      queueMetrics: metrics.queue('bench'),
    },
  );
  const stop = new AbortController();
  await meter.measure('keys', async () => {
    void controller.run(stop.signal);
    for (let i = 0; i < count; i++) controller.queue.add(`default/object-${i}`);
    await finished.promise;
  });
  stop.abort();
};

export default keys;
