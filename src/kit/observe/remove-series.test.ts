import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { removeSeries } from './remove-series.ts';

test('the series of one object go, with all their other labels, and those of others stay', async () => {
  const registers = [new Registry()];
  const counter = new Counter({ name: 'things', help: 'h', labelNames: ['pool', 'kind'], registers });
  const histogram = new Histogram({ name: 'seconds', help: 'h', labelNames: ['pool'], buckets: [1, 2], registers });
  for (const pool of ['a', 'b']) {
    counter.inc({ pool, kind: 'x' });
    counter.inc({ pool, kind: 'y' });
    histogram.observe({ pool }, 1.5);
  }
  await removeSeries([counter, histogram], 'pool', 'a');
  const left = await Promise.all([counter.get(), histogram.get()]);
  expect(new Set(left.flatMap(({ values }) => values.map(({ labels }) => labels.pool)))).toEqual(new Set(['b']));
  expect(left[0].values).toHaveLength(2);
});
