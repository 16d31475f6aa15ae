/** What a user of the original has: the manifest as it is, an image that speaks the two endpoints and nothing else, several pools. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sayings } from '../../harness/two-endpoint-agent.ts';
import { eventually } from '../../harness/wait.ts';
import { blobOf } from './blob-content.ts';
import { replicasOver } from './replicas.ts';
import { type Pool, PoolWorld, TWO_ENDPOINTS } from './world.ts';

let world: PoolWorld;
beforeAll(async () => {
  world = await PoolWorld.start();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const says = async (pool: Pool, ordinal: number, sayings: Sayings): Promise<void> =>
  writeFile(join(await pool.volume(ordinal), 'says.json'), JSON.stringify(sayings));

/** Of the original's sample. */
const SAMPLE = { image: TWO_ENDPOINTS, numPVs: 3, pvSizeGB: 5 };
const aSample = async (name: string, spec = {}): Promise<Pool> => {
  await world.namespace(name);
  const pool = world.poolNamed(name);
  await pool.create({ ...SAMPLE, ...spec });
  return pool;
};

describe("the original's manifest", () => {
  test('makes a pool that is ready, with the objects and the status that the original has', async () => {
    const pool = await aSample('pvpool-1');
    await pool.isReady(3);

    const { metadata, status } = await pool.look();
    const owner = { apiVersion: 'pvpool.noobaa.com/v1', kind: 'PvPool', name: 'pvpool-1', uid: metadata.uid };
    expect(await pool.service()).toMatchObject({
      metadata: { name: 'pvpool-1-srv', ownerReferences: [{ ...owner, controller: true }] },
      spec: {
        type: 'ClusterIP',
        ports: [{ port: 8080, targetPort: 8080, name: 'storage-agent-api' }],
        selector: { 'pv-pool': 'pvpool-1' },
      },
    });
    const resources = { cpu: '100m', memory: '100M' };
    expect(await pool.set()).toMatchObject({
      metadata: { name: 'pvpool-1-sts', ownerReferences: [{ ...owner, controller: true }] },
      spec: {
        replicas: 3,
        serviceName: 'pvpool-1-srv',
        selector: { matchLabels: { 'pv-pool': 'pvpool-1' } },
        template: {
          metadata: { labels: { 'pv-pool': 'pvpool-1' } },
          spec: {
            containers: [
              {
                name: 'storage-agent',
                image: TWO_ENDPOINTS,
                env: expect.arrayContaining([{ name: 'PV_PATH', value: '/data' }]),
                resources: { requests: resources, limits: resources },
                volumeMounts: expect.arrayContaining([{ name: 'vol', mountPath: '/data' }]),
              },
            ],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'vol' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
          },
        ],
      },
    });
    expect(status).toMatchObject({
      phase: 'Ready',
      podsInfo: [0, 1, 2].map((ordinal) => ({ podName: pool.podName(ordinal), podStatus: 'Ready' })),
      countByState: { Ready: 3 },
      usedPercentage: 0,
      replicas: 3,
      readyReplicas: 3,
      selector: 'pv-pool=pvpool-1',
      observedGeneration: metadata.generation,
    });
    expect(await pool.claim(0)).toMatchObject({
      metadata: { name: 'vol-pvpool-1-sts-0' },
      spec: { storageClassName: 'disk' },
    });
  });

  test('counts what is used over the whole pool, and writes its status only when something has changed', async () => {
    const pool = await aSample('used');
    await pool.isReady(3);
    await says(pool, 1, { used: 3 * 2 ** 28 });
    await pool.annotate({ looked: '1' });
    await eventually(async () => expect((await pool.look()).status?.usedPercentage).toBe(25));
    const before = await world.statusWrites(pool);
    await world.looksAgain(pool);
    expect(await world.statusWrites(pool)).toBe(before);
  });

  test('has its claims in the class that it names', async () => {
    const pool = await aSample('classy', { numPVs: 1, storageClass: 'rigid' });
    await pool.isReady(1);
    expect(await pool.claim(0)).toMatchObject({ spec: { storageClassName: 'rigid' } });
  });
});

describe('an image that speaks the two endpoints and nothing else', () => {
  test('is drained, highest ordinals first, all before the replicas drop, and its claims are kept', async () => {
    const pool = await aSample('two');
    await pool.isReady(3);
    await using replicas = await replicasOver(world, pool);
    await says(pool, 1, { slow: true });
    await pool.change({ numPVs: 1 });
    await eventually(async () =>
      expect((await pool.look()).status?.countByState).toEqual({ Ready: 1, Decommissioning: 1, Decommissioned: 1 }),
    );
    expect(await pool.look()).toMatchObject({ status: { phase: 'ScalingDown' } });
    await says(pool, 1, {});
    await pool.isReady(1);
    expect(replicas.seen).toEqual([3, 1]);
    await Promise.all([0, 1, 2].map((ordinal) => pool.claim(ordinal)));
    await pool.change({ numPVs: 3 });
    await pool.isReady(3);
  });

  test.each<[string, string, Sayings]>([
    ['stubborn', 'does not do as it is told', { stays: true }],
    ['silent', 'does not answer', { silent: true }],
    ['failing', 'answers with an error', { code: 500 }],
    ['dreaming', 'is in a state that nobody knows', { state: 'Dreaming' }],
  ])('%s: its replica is kept while it %s, and the pool says so', async (name, _, sayings) => {
    const pool = await aSample(name, { numPVs: 2 });
    await pool.isReady(2);
    await using replicas = await replicasOver(world, pool);
    await says(pool, 1, sayings);
    await pool.change({ numPVs: 1 });
    await pool.says(sayings.stays ? 'Progressing' : 'Degraded', 'True', new RegExp(pool.podName(1)));
    await world.looksAgain(pool);
    expect(replicas.seen).toEqual([2]);
    await says(pool, 1, {});
    await pool.isReady(1);
    expect(replicas.seen).toEqual([2, 1]);
  });
});

test('two pools in one namespace do not touch each other', async () => {
  await world.namespace('shared');
  const spec = { numPVs: 2 };
  const [one, two] = await Promise.all([world.pool('one', spec, 'shared'), world.pool('one-sts', spec, 'shared')]);
  await Promise.all([one.isReady(2), two.isReady(2)]);
  using client = await two.client();
  await client.put('kept', blobOf('kept', 100_000));
  const before = await two.set();
  await one.change({ numPVs: 1 });
  await one.isReady(1);
  expect(await two.set()).toEqual(before);
  expect(await client.head('kept')).toMatchObject({ info: { size: 100_000 } });
  expect(await one.token()).not.toBe(await two.token());
  await one.remove();
  await eventually(async () => expect(await one.pods()).toEqual([]));
  expect(await two.set()).toEqual(before);
  await two.isReady(2);
});

test('nothing was asked for that the operator may not do', async () => {
  expect(await world.refusals()).toEqual([]);
});
