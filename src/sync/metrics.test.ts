import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { syncMetrics } from './metrics.ts';

function metricsAt(now: number) {
  const registry = new Registry();
  return { registry, metrics: syncMetrics(registry, () => now) };
}

test('the RPO is as old as the last confirmation when somebody asks, and not when it was told', async () => {
  const { registry, metrics } = metricsAt(100_000);
  metrics.confirmed('dr', 40_000);
  expect(await registry.metrics()).toContain('holdfast_sync_rpo_seconds{sync="dr"} 60');
  metrics.confirmed('dr', undefined);
  expect(await registry.metrics()).not.toContain('holdfast_sync_rpo_seconds{');
});

test('what no longer stands in the way is no longer counted', async () => {
  const { registry, metrics } = metricsAt(0);
  metrics.refuses('dr', new Map([['nodeVolume', 2]]));
  metrics.refuses('dr', new Map([['existsAndIsNotOurs', 1]]));
  const text = await registry.metrics();
  expect(text).toContain('holdfast_sync_refused_objects{sync="dr",fact="existsAndIsNotOurs"} 1');
  expect(text).not.toContain('nodeVolume');
});

test('nothing is counted of a resource that is gone', async () => {
  const { registry, metrics } = metricsAt(0);
  metrics.exported('dr', { bytes: 10, seconds: 1 });
  metrics.managed('dr', 1, 1);
  metrics.restored('dr', 3);
  metrics.gone('dr');
  await expect.poll(async () => await registry.metrics()).not.toContain('sync="dr"');
});
