import { describe, expect, test } from 'vitest';
import { SimulatedCluster } from './simulated-cluster.ts';

const podsThatServe = (cluster: SimulatedCluster) => cluster.agents.running.size;

describe('a new image', () => {
  test('reaches one agent after the other, from the highest on', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 4 });
    let fewest = 4;
    const replaced: string[] = [];
    cluster.api.onChange(({ collection, before, after }) => {
      fewest = Math.min(fewest, podsThatServe(cluster));
      if (collection === 'pods' && !after) replaced.push(before?.metadata.name ?? '');
    });
    cluster.respec({ image: 'holdfast:2' });
    expect(await cluster.untilReadyWith(4)).toBe(true);
    expect(replaced).toEqual(['data-sts-3', 'data-sts-2', 'data-sts-1', 'data-sts-0']);
    expect(fewest).toBe(3);
    expect(cluster.set?.spec?.updateStrategy?.rollingUpdate?.partition).toBe(0);
  });

  test('that never starts takes one agent only, and a better one heals that', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.brokenImage = 'holdfast:bad';
    cluster.respec({ image: 'holdfast:bad' });
    await cluster.pass(300);
    expect(podsThatServe(cluster)).toBe(2);
    expect(cluster.says('Ready')).toContain('pod data-sts-2 is not ready');
    expect(cluster.says('Progressing')).toContain('RollingOut');
    cluster.respec({ image: 'holdfast:3' });
    expect(await cluster.untilReadyWith(3)).toBe(true);
    expect(cluster.set?.spec?.updateStrategy?.rollingUpdate?.partition).toBe(0);
  });

  test('waits while agents are drained', async () => {
    const cluster = await SimulatedCluster.withPool();
    cluster.write(60);
    cluster.respec({ numPVs: 2 });
    await cluster.until(() => cluster.diskOf(2).state === 'Decommissioning');
    cluster.respec({ image: 'holdfast:2', pvSizeGB: 4 });
    const images = new Set<string | undefined>();
    cluster.api.onChange(() => {
      const { operation } = cluster.pool.status ?? {};
      if (operation) images.add(cluster.set?.spec?.template?.spec?.containers?.[0]?.image);
    });
    expect(await cluster.untilReadyWith(2)).toBe(true);
    expect(cluster.set?.spec?.template?.spec?.containers?.[0]?.image).toBe('holdfast:2');
    expect([...images]).toEqual(['holdfast:1']);
    expect(cluster.lost).toEqual([]);
  });

  test('in a pool whose pods have never started reaches all of them', async () => {
    const cluster = new SimulatedCluster();
    cluster.brokenImage = 'holdfast:1';
    cluster.declare();
    await cluster.pass(60);
    expect(cluster.pool.status?.phase).toBe('ScalingUp');
    cluster.respec({ image: 'holdfast:2' });
    expect(await cluster.untilReadyWith(3)).toBe(true);
  });
});

describe('a larger pvSizeGB', () => {
  const sizes = (cluster: SimulatedCluster) => cluster.claims.map(({ spec }) => spec?.resources?.requests?.storage);

  test('grows the claims one by one', async () => {
    const cluster = await SimulatedCluster.withPool();
    let most = 0;
    cluster.api.onChange(() => {
      const growing = cluster.claims.filter(
        ({ spec, status }) => spec?.resources?.requests?.storage !== status?.capacity?.storage,
      );
      most = Math.max(most, growing.length);
    });
    cluster.respec({ pvSizeGB: 5 });
    expect(await cluster.untilReadyWith(3)).toBe(true);
    expect(sizes(cluster)).toEqual(['5Gi', '5Gi', '5Gi']);
    expect(most).toBe(1);
  });

  test('reaches members that come later', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 1 });
    cluster.respec({ pvSizeGB: 5 });
    await cluster.untilReadyWith(1);
    cluster.respec({ numPVs: 2 });
    expect(await cluster.untilReadyWith(2)).toBe(true);
    expect(sizes(cluster)).toEqual(['5Gi', '5Gi']);
  });

  test('of a class that does not allow it changes nothing, and says so', async () => {
    const cluster = await SimulatedCluster.withPool({}, ({ api }) => {
      api.put('storageclasses', { metadata: { name: 'fast' } });
    });
    cluster.respec({ pvSizeGB: 5 });
    await cluster.pass(120);
    expect(sizes(cluster)).toEqual(['1Gi', '1Gi', '1Gi']);
    expect(cluster.says('Degraded')).toContain(
      'True ClassDoesNotExpand: claim vol-data-sts-0 cannot grow: its class fast',
    );
  });
});

describe('autoscaling', () => {
  const autoscaling = {
    minPVs: 2,
    maxPVs: 5,
    targetUsedPercent: 70,
    scaleUpAfterSeconds: 60,
    scaleDownAfterSeconds: 600,
  };

  test('goes up when the pool is full for a while, and down when it has long been empty', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 2, autoscaling });
    cluster.write(16, 1_000);
    expect(await cluster.untilReadyWith(3)).toBe(true);
    expect(cluster.pool.status?.autoscaling).toMatchObject({ desiredPVs: 3 });
    const keys = [...cluster.stored.keys()].slice(2);
    for (const key of keys) {
      cluster.stored.delete(key);
      for (const { disk } of cluster.agents.running.values()) disk.blobs.delete(key);
    }
    await cluster.pass(300);
    expect(cluster.set?.spec?.replicas).toBe(3);
    expect(await cluster.untilReadyWith(2, 1_200)).toBe(true);
    expect(cluster.lost).toEqual([]);
    expect(cluster.violations).toEqual([]);
  });

  test('does not go beyond its bounds', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 1, autoscaling });
    expect(cluster.set?.spec?.replicas).toBe(2);
    cluster.write(20, 1_000);
    for (const { disk } of cluster.agents.running.values()) disk.blobs.set('much', 40_000);
    expect(await cluster.untilReadyWith(5, 1_200)).toBe(true);
    await cluster.pass(900);
    expect(cluster.set?.spec?.replicas).toBe(5);
  });

  test('comes to rest', async () => {
    const cluster = await SimulatedCluster.withPool({ numPVs: 2, autoscaling });
    cluster.write(16, 1_000);
    await cluster.untilReadyWith(3);
    const before = cluster.calls.length;
    await cluster.pass(3_600);
    expect(cluster.calls.slice(before).filter((call) => call.includes('statefulsets'))).toEqual([]);
    expect(cluster.set?.spec?.replicas).toBe(3);
  });
});

describe('the forecast', () => {
  test('says when the pool is full if it goes on like this, and changes seldom', async () => {
    const cluster = await SimulatedCluster.withPool();
    let writes = 0;
    for (let minute = 0; minute < 60; minute++) {
      cluster.write(5, 10);
      const before = cluster.calls.length;
      await cluster.pass(60);
      writes += cluster.calls.length - before;
    }
    expect(cluster.pool.status?.forecast?.timeToFull).toMatch(/^(8|9|10)h$/);
    expect(writes).toBeLessThan(40);
  });
});

test('two pools in one namespace have nothing to do with each other', async () => {
  const cluster = await SimulatedCluster.withPool();
  cluster.api.put('pvpools', { ...cluster.pool, metadata: { namespace: 'default', name: 'other' } });
  const other = () => cluster.api.get<typeof cluster.pool>('pvpools', 'default/other');
  expect(await cluster.until(() => other()?.status?.phase === 'Ready')).toBe(true);
  cluster.respec({ numPVs: 1 });
  expect(await cluster.untilReadyWith(4)).toBe(true);
  expect(cluster.api.get('pods', 'default/other-sts-2')).toBeDefined();
  expect(other()?.status).toMatchObject({ readyReplicas: 3, selector: 'pv-pool=other' });
});
