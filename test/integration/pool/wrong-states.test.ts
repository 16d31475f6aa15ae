/** Pools in which something is wrong: no replica that holds data is ever dropped, and a condition says why it does not go on. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CANCEL_ANNOTATION } from '../../../src/pool/contract.ts';
import type { PoolClient } from '../../../src/pool-client/index.ts';
import { twoEndpointImage } from '../../harness/played-container.ts';
import type { Sayings } from '../../harness/two-endpoint-agent.ts';
import { eventually } from '../../harness/wait.ts';
import { blobOf } from './blob-content.ts';
import { replicasOver } from './replicas.ts';
import { NEVER, type Pool, PoolWorld } from './world.ts';

let world: PoolWorld;
beforeAll(async () => {
  world = await PoolWorld.start();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** Enough that each of three agents has some. */
const KEYS = Array.from({ length: 30 }, (_, n) => `key-${n}`);
const SIZE = 100_000;

async function store(client: PoolClient, keys = KEYS): Promise<void> {
  for (const key of keys) await client.put(key, blobOf(key, SIZE));
}

async function holdsAll(client: PoolClient, keys = KEYS): Promise<void> {
  const found = await Promise.all(keys.map(async (key) => (await client.head(key))?.info.sha256));
  expect(found).toEqual(keys.map((key) => blobOf(key, SIZE).sha256));
}

/** Of our agents, ready, with blobs at each. */
async function aFullPool(name: string, spec: object = {}): Promise<{ pool: Pool; client: PoolClient }> {
  const pool = await world.pool(name, { numPVs: 3, ...spec });
  await pool.isReady(3);
  const client = await pool.client();
  await store(client);
  for (const ordinal of [0, 1, 2]) expect((await pool.blobsOnDisk(ordinal)).length).toBeGreaterThan(0);
  return { pool, client };
}

/** It goes on by itself, and loses nothing. */
async function goesOnTo(pool: Pool, agents: number, client: PoolClient): Promise<void> {
  await pool.isReady(agents);
  await holdsAll(client);
}

describe('an agent that leaves', () => {
  test('and is down keeps its replica until it is back', async () => {
    const { pool, client } = await aFullPool('down');
    await using replicas = await replicasOver(world, pool);
    await world.pods.takeDown(pool.podName(2));
    await pool.says('Ready', 'False', /down-sts-2/);
    await pool.change({ numPVs: 2 });
    await pool.says('Degraded', 'True', /down-sts-2/);
    await world.looksAgain(pool);
    expect(replicas.seen).toEqual([3]);
    world.pods.letUp(pool.podName(2));
    await goesOnTo(pool, 2, client);
    expect(replicas.leftBehind).toEqual([]);
  });

  test('and goes down while it drains keeps its replica until it is back', async () => {
    const { pool, client } = await aFullPool('down-later', { drain: { bandwidth: '200Ki' } });
    await using replicas = await replicasOver(world, pool);
    await pool.change({ numPVs: 2 });
    await someHaveMoved(pool);
    await world.pods.takeDown(pool.podName(2));
    await pool.says('Degraded', 'True', /down-later-sts-2/);
    await world.looksAgain(pool);
    expect(replicas.seen).toEqual([3]);
    world.pods.letUp(pool.podName(2));
    await goesOnTo(pool, 2, client);
    expect(replicas.leftBehind).toEqual([]);
  });

  test('and hangs keeps its replica until it answers', async () => {
    const { pool, client } = await aFullPool('hanging');
    await using replicas = await replicasOver(world, pool);
    await world.pods.pause(pool.podName(2));
    await pool.change({ numPVs: 2 });
    await pool.says('Degraded', 'True', /hanging-sts-2/);
    await world.looksAgain(pool);
    expect(replicas.seen).toEqual([3]);
    await world.pods.resume(pool.podName(2));
    await goesOnTo(pool, 2, client);
    expect(replicas.leftBehind).toEqual([]);
  });

  const LIES: Readonly<Record<string, Sayings>> = {
    'holds nothing': { blobs: 0 },
    'holds some': { blobs: 4 },
    'is of another generation': { blobs: 0, generation: 0 },
    'knows nothing of blobs': {},
  };
  test.each(Object.keys(LIES).map((what, n) => [`lying-${n}`, what] as const))(
    '%s: and says half-way that it is Decommissioned and %s is not believed',
    async (name, what) => {
      const { pool, client } = await aFullPool(name, { drain: { bandwidth: '100Ki' } });
      await using replicas = await replicasOver(world, pool);
      await pool.change({ numPVs: 2 });
      await someHaveMoved(pool);
      const { generation = 0 } = (await pool.look()).status?.operation ?? {};
      const lies = { state: 'Decommissioned', generation, ...LIES[what] };
      await writeFile(join(await pool.volume(2), 'says.json'), JSON.stringify(lies));
      await world.pods.replace(pool.podName(2), twoEndpointImage);
      await pool.says('Degraded', 'True', new RegExp(`${name}-sts-2`));
      await world.looksAgain(pool);
      await eventually(async () => expect(await pool.agentStatus(2)).toMatchObject(lies));
      await world.looksAgain(pool);
      expect(replicas.seen).toEqual([3]);
      await world.pods.putBack(pool.podName(2));
      await goesOnTo(pool, 2, client);
      expect(replicas.leftBehind).toEqual([]);
    },
  );

  test('and was Decommissioned in an earlier life is asked anew', async () => {
    const { pool, client } = await aFullPool('stale');
    await pool.change({ numPVs: 2 });
    await goesOnTo(pool, 2, client);
    const { generation = 0 } = await eventually(async () => ({
      generation: (await pool.look()).status?.lastGeneration,
    }));
    await pool.change({ numPVs: 3 });
    await goesOnTo(pool, 3, client);
    expect(await pool.agentStatus(2)).toMatchObject({ state: 'Ready' });
    const more = Array.from({ length: 30 }, (_, n) => `more-${n}`);
    await store(client, more);
    expect((await pool.blobsOnDisk(2)).length).toBeGreaterThan(0);
    await using replicas = await replicasOver(world, pool);
    await pool.change({ numPVs: 2 });
    await goesOnTo(pool, 2, client);
    await holdsAll(client, more);
    expect(replicas.leftBehind).toEqual([]);
    expect((await pool.look()).status?.lastGeneration).toBeGreaterThan(generation);
  });

  test('and was told to by somebody else, with a newer generation, is asked anew', async () => {
    const { pool, client } = await aFullPool('overtaken');
    await using replicas = await replicasOver(world, pool);
    const { status } = await pool.pod(2);
    const peers = (await pool.agents()).slice(0, 1);
    const answer = await fetch(`http://${status.podIP}:8080/manage-agent/decommission`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${await pool.token()}` },
      body: JSON.stringify({ generation: 1000, peers }),
    });
    expect(answer.status).toBe(200);
    await world.looksAgain(pool);
    await eventually(async () => expect(await pool.agentStatus(2)).toMatchObject({ state: 'Ready' }));
    expect(replicas.seen).toEqual([3]);
    await pool.change({ numPVs: 2 });
    await goesOnTo(pool, 2, client);
    expect((await pool.look()).status?.lastGeneration).toBeGreaterThan(1000);
    expect(replicas.leftBehind).toEqual([]);
  });

  test('and is called back by somebody else half-way is asked anew', async () => {
    const { pool, client } = await aFullPool('called-back', { drain: { bandwidth: '200Ki' } });
    await using replicas = await replicasOver(world, pool);
    await pool.change({ numPVs: 2 });
    await someHaveMoved(pool);
    const { status } = await pool.pod(2);
    const { generation = 0 } = (await pool.look()).status?.operation ?? {};
    const answer = await fetch(`http://${status.podIP}:8080/manage-agent/recommission`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${await pool.token()}` },
      body: JSON.stringify({ generation: generation + 1 }),
    });
    expect(answer.status).toBe(200);
    await goesOnTo(pool, 2, client);
    expect(replicas.seen).toEqual([3, 2]);
    expect(replicas.leftBehind).toEqual([]);
    expect((await pool.look()).status?.lastGeneration).toBeGreaterThan(generation + 1);
  });

  test('and whose claim somebody has deleted hands over what it holds while its pod keeps it', async () => {
    const { pool, client } = await aFullPool('going');
    await using replicas = await replicasOver(world, pool);
    await world.admin.delete(pool.claimPath(2));
    await pool.says('Degraded', 'True', /ClaimIsGoing: .*vol-going-sts-2/);
    await pool.change({ numPVs: 2 });
    await goesOnTo(pool, 2, client);
    expect(replicas.leftBehind).toEqual([]);
    await eventually(async () => expect((await world.admin.request('GET', pool.claimPath(2))).status).toBe(404));
  });

  test('and whose claim is deleted while it drains loses what a person took, and no more', async () => {
    const { pool, client } = await aFullPool('replaced', { drain: { bandwidth: '100Ki' } });
    await using replicas = await replicasOver(world, pool);
    const before = await pool.claim(2);
    await pool.change({ numPVs: 2 });
    await someHaveMoved(pool);
    await world.admin.delete(pool.claimPath(2));
    await world.admin.delete(`/api/v1/namespaces/${pool.namespace}/pods/${pool.podName(2)}`);
    await eventually(async () => expect((await pool.claim(2)).metadata.uid).not.toBe(before.metadata.uid));
    await pool.says('Degraded', 'True', /the claim of replaced-sts-2 was replaced while it was drained/);
    await pool.isReady(2);
    expect(replicas.leftBehind).toEqual([]);
    const held = await Promise.all([0, 1].map((ordinal) => pool.blobsOnDisk(ordinal)));
    const found = (await Promise.all(KEYS.map((key) => client.head(key)))).filter((blob) => blob !== undefined);
    expect(found.length).toBe(held.flat().length);
    expect(found.length).toBeGreaterThan(0);
    client[Symbol.dispose]();
  });
});

test('a drain that is cancelled half-way leaves every blob readable, and is not taken up again by itself', async () => {
  const { pool, client } = await aFullPool('cancelled', { drain: { bandwidth: '100Ki' } });
  await using replicas = await replicasOver(world, pool);
  await pool.change({ numPVs: 1 });
  await someHaveMoved(pool);
  await pool.annotate({ [CANCEL_ANNOTATION]: '' });
  await eventually(async () => {
    const { metadata, status } = await pool.look();
    expect(Object.keys(metadata.annotations ?? {})).not.toContain(CANCEL_ANNOTATION);
    expect(status?.operation).toBeUndefined();
  });
  for (const ordinal of [1, 2]) expect(await pool.agentStatus(ordinal)).toMatchObject({ state: 'Ready' });
  await holdsAll(client);
  await world.looksAgain(pool);
  expect(replicas.seen).toEqual([3]);
  expect(JSON.stringify((await pool.look()).status?.conditions)).toContain('ScaleDownIsCancelled');
  await store(client, ['after']);
  await pool.change({ numPVs: 2 });
  await goesOnTo(pool, 2, client);
  await holdsAll(client, ['after']);
  expect(replicas.leftBehind).toEqual([]);
});

test('claims that were kept when a pool was deleted come back with what they hold', async () => {
  const { pool, client } = await aFullPool('kept');
  const { spec } = await pool.look();
  await pool.remove();
  await eventually(async () => expect(await pool.pods()).toEqual([]));
  await eventually(async () => expect((await world.admin.request('GET', pool.path)).status).toBe(404));
  client[Symbol.dispose]();
  await pool.create(spec);
  await pool.isReady(3);
  using again = await pool.client();
  await holdsAll(again);
});

test('an image that never starts blocks scaling, and the pool says which pod and why', async () => {
  const { pool, client } = await aFullPool('never');
  await using replicas = await replicasOver(world, pool);
  await pool.change({ image: NEVER });
  await pool.says('Degraded', 'True', /never-sts-2.*ImagePullBackOff/);
  await pool.change({ numPVs: 2 });
  await world.looksAgain(pool);
  await pool.says('Degraded', 'True', /never-sts-2.*ImagePullBackOff/);
  expect(replicas.seen).toEqual([3]);
  await pool.change({ image: 'holdfast:1' });
  await goesOnTo(pool, 2, client);
  expect(replicas.leftBehind).toEqual([]);
});

test('a quota that is exceeded blocks scaling, and the pool says which pod is missing and why', async () => {
  const { pool, client } = await aFullPool('quota');
  const quotas = '/api/v1/namespaces/quota/resourcequotas';
  await world.admin.post(quotas, { metadata: { name: 'pods' }, spec: { hard: { pods: '3' } } });
  await eventually(async () =>
    expect(await world.admin.get(`${quotas}/pods`)).toMatchObject({ status: { used: { pods: '3' } } }),
  );
  await using replicas = await replicasOver(world, pool);
  await pool.change({ numPVs: 5 });
  await pool.says('Degraded', 'True', /quota-sts-3 cannot be made: .*exceeded quota: pods/);
  await pool.change({ numPVs: 2 });
  await world.looksAgain(pool);
  expect(replicas.seen).toEqual([3, 5]);
  await holdsAll(client);
  await world.admin.delete(`${quotas}/pods`);
  await goesOnTo(pool, 2, client);
  expect(replicas.leftBehind).toEqual([]);
});

const someHaveMoved = (pool: Pool): Promise<void> =>
  eventually(
    async () => {
      const { drain } = await pool.agentStatus(2);
      expect(drain?.movedBlobs).toBeGreaterThan(0);
      expect(drain?.leftBlobs).toBeGreaterThan(0);
    },
    { for: 'some blobs to have moved' },
  );

test('nothing was asked for that the operator may not do', async () => {
  expect(await world.refusals()).toEqual([]);
});
