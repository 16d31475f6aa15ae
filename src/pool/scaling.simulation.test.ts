import { describe, expect, test } from 'vitest';
import { SimulatedCluster } from './simulated-cluster.ts';

async function aPool(spec = {}) {
  const cluster = new SimulatedCluster();
  cluster.declare(spec);
  expect(await cluster.until(() => cluster.isReady())).toBe(true);
  return cluster;
}

test('a pool is made, and is Ready when all of its agents are', async () => {
  const cluster = await aPool();
  expect(cluster.pool.status).toMatchObject({
    phase: 'Ready',
    replicas: 3,
    readyReplicas: 3,
    countByState: { Ready: 3 },
  });
  expect(cluster.violations).toEqual([]);
});

describe('scaling', () => {
  test('up and down again loses nothing', async () => {
    const cluster = await aPool();
    cluster.write(30);
    cluster.respec({ numPVs: 6 });
    expect(await cluster.until(() => cluster.isReady() && cluster.pods.length === 6)).toBe(true);
    cluster.write(60);
    cluster.respec({ numPVs: 2 });
    expect(await cluster.until(() => cluster.isReady() && cluster.pods.length === 2)).toBe(true);
    expect(cluster.lost).toEqual([]);
    expect(cluster.violations).toEqual([]);
    expect(cluster.pool.status?.operation).toBeUndefined();
    expect(cluster.claims).toHaveLength(6);
  });
});
