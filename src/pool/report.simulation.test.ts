import { expect, test } from 'vitest';
import { CANCEL_ANNOTATION } from './contract.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

const metricsOf = async ({ process }: SimulatedCluster): Promise<string> =>
  (await process?.metrics.registry.metrics()) ?? '';

test('people are told how a scale down goes', async () => {
  const cluster = await SimulatedCluster.withPool({ claims: { whenScaled: 'Delete' } });
  cluster.write(30);
  cluster.respec({ numPVs: 4 });
  await cluster.untilReadyWith(4);
  cluster.respec({ numPVs: 2 });
  await cluster.untilReadyWith(2);
  expect(cluster.api.events).toEqual(['ScaledUp', 'ScaleDownBegan', 'ScaledDown', 'ClaimDeleted', 'ClaimDeleted']);
});

test('and that it was cancelled', async () => {
  const cluster = await SimulatedCluster.withPool();
  cluster.write(60);
  cluster.respec({ numPVs: 2 });
  await cluster.until(() => cluster.diskOf(2).state === 'Decommissioning');
  cluster.annotate({ [CANCEL_ANNOTATION]: '' });
  await cluster.untilReadyWith(3);
  expect(cluster.api.events).toEqual(['ScaleDownBegan', 'ScaleDownCancelled']);
});

test('what is wrong is told once when it begins, and again when it comes back', async () => {
  const cluster = await SimulatedCluster.withPool();
  for (const _ of [1, 2]) {
    cluster.temper(1, 'silent');
    await cluster.pass(200);
    cluster.temper(1, 'honest');
    await cluster.pass(70);
  }
  expect(cluster.api.events.filter((reason) => reason === 'AgentDoesNotAnswer').length).toBeLessThanOrEqual(2);
  expect(cluster.api.events).toContain('AgentDoesNotAnswer');
  expect(await metricsOf(cluster)).toContain(
    'holdfast_pool_refusals_total{pool="default/data",fact="AgentDoesNotAnswer"} 2',
  );
});

test('pools are measured, and are no longer when they are gone', async () => {
  const cluster = await SimulatedCluster.withPool();
  cluster.write(60, 100);
  cluster.respec({ numPVs: 2 });
  await cluster.untilReadyWith(2);
  await cluster.pass(61);
  const metrics = await metricsOf(cluster);
  for (const line of [
    'holdfast_pool_capacity_bytes{pool="default/data"} 20000',
    'holdfast_pool_used_bytes{pool="default/data"} 6000',
    'holdfast_pool_ready{pool="default/data"} 1',
    'holdfast_pool_members{pool="default/data",state="Ready"} 2',
    'holdfast_pool_members{pool="default/data",state="Unknown"} 0',
    'holdfast_pool_operations_total{pool="default/data",operation="drop"} 1',
    'holdfast_pool_operations_total{pool="default/data",operation="decommission"} 1',
  ])
    expect(metrics).toContain(line);
  const drained = Number(/holdfast_pool_drained_bytes_total\{pool="default\/data"\} (\d+)/.exec(metrics)?.[1]);
  expect(drained).toBeGreaterThan(1_000);
  expect(drained).toBeLessThanOrEqual(2_000);
  cluster.api.remove('pvpools', 'default/data');
  await cluster.pass(5);
  expect(await metricsOf(cluster)).not.toContain('default/data');
});
