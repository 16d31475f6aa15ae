/** What the cluster itself does with a pool: where its pods go, who may evict them, what namespaces let in, and what goes when it goes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHoldfast } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { blobOf } from './blob-content.ts';
import { type Pool, PoolWorld } from './world.ts';

let world: PoolWorld;
beforeAll(async () => {
  world = await PoolWorld.start();
});
afterAll(() => world?.[Symbol.asyncDispose]());

test('the agents of a pool are in different zones', async () => {
  const pool = await world.pool('spread', { numPVs: 3 });
  await pool.isReady(3);
  const nodes = (await pool.pods()).map(({ spec }) => (spec as { nodeName?: string }).nodeName);
  expect(nodes.toSorted()).toEqual(['a', 'b', 'c']);
});

test('one agent may be evicted, and no second one until the first is back', async () => {
  const pool = await world.pool('evicted', { numPVs: 3 });
  await pool.isReady(3);
  const evict = async (ordinal: number): Promise<number> => {
    const name = pool.podName(ordinal);
    const path = `/api/v1/namespaces/${pool.namespace}/pods/${name}/eviction`;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: pool.namespace } };
    return (await world.admin.request('POST', path, body)).status;
  };
  await world.pods.takeDown(pool.podName(0));
  await pool.says('Ready', 'False', /evicted-sts-0/);
  await eventually(async () => expect(await evict(1)).toBe(429));
  world.pods.letUp(pool.podName(0));
  await pool.isReady(3);
  await eventually(async () => expect(await evict(1)).toBe(201));
  await pool.isReady(3);
});

test('a namespace that lets in only what is restricted lets a pool in', async () => {
  await world.namespace('restricted');
  const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await world.admin.patch('/api/v1/namespaces/restricted', { metadata: { labels: enforce } });
  const pool = await world.pool('restricted', { numPVs: 1 }, 'restricted');
  await pool.isReady(1);
});

describe('claims', () => {
  const claimsOf = async (pool: Pool): Promise<readonly string[]> => {
    const path = `/api/v1/namespaces/${pool.namespace}/persistentvolumeclaims`;
    return (await world.admin.list<RawObject>(path)).items.map(({ metadata }) => metadata.name);
  };

  test('are kept when their agents leave, and when the pool is deleted', async () => {
    const pool = await world.pool('keeping', { numPVs: 2 });
    await pool.isReady(2);
    await pool.change({ numPVs: 1 });
    await pool.isReady(1);
    await pool.remove();
    await eventually(async () => expect(await pool.pods()).toEqual([]));
    expect(await claimsOf(pool)).toEqual(['vol-keeping-sts-0', 'vol-keeping-sts-1']);
  });

  test('go with the agents that leave if the pool says so, and only when these are empty and gone', async () => {
    const pool = await world.pool('clearing', { numPVs: 3, claims: { whenScaled: 'Delete' } });
    await pool.isReady(3);
    using client = await pool.client();
    const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
    for (const key of keys) await client.put(key, blobOf(key, 10_000));
    await pool.change({ numPVs: 1 });
    await eventually(async () => expect(await claimsOf(pool)).toEqual(['vol-clearing-sts-0']));
    await pool.isReady(1);
    for (const key of keys) expect(await client.head(key)).toBeDefined();
    await pool.change({ numPVs: 2 });
    await pool.isReady(2);
  });

  test('go with the pool if it says so, and stay if it no longer does', async () => {
    const [going, staying] = await Promise.all(
      ['going', 'staying'].map((name) => world.pool(name, { numPVs: 2, claims: { whenDeleted: 'Delete' } })),
    );
    if (!going || !staying) throw new Error('two were made');
    await Promise.all([going.isReady(2), staying.isReady(2)]);
    const owners = async (pool: Pool) => (await pool.claim(1)).metadata.ownerReferences ?? [];
    await eventually(async () => expect(await owners(staying)).toMatchObject([{ kind: 'PvPool', name: 'staying' }]));
    await staying.change({ claims: { whenDeleted: 'Retain' } });
    await eventually(async () => expect(await owners(staying)).toEqual([]));
    await eventually(async () => expect(await owners(going)).toHaveLength(1));
    await Promise.all([going.remove(), staying.remove()]);
    await eventually(async () => expect(await claimsOf(going)).toEqual([]));
    await eventually(async () => expect(await staying.pods()).toEqual([]));
    expect(await claimsOf(staying)).toEqual(['vol-staying-sts-0', 'vol-staying-sts-1']);
  });
});

test('somebody who scales the StatefulSet itself is turned away and told how', async () => {
  const pool = await world.pool('guarded', { numPVs: 2 });
  await pool.isReady(2);
  const path = `/apis/apps/v1/namespaces/guarded/statefulsets/guarded-sts`;
  const fewer = { spec: { replicas: 1 } };
  for (const target of [path, `${path}/scale`]) {
    await expect(world.admin.patch(target, fewer)).rejects.toThrow(/kubectl scale pvpool guarded/);
  }
  expect(await pool.replicas()).toBe(2);
});

test('agents that were removed without being drained come back, and leave as others do: nothing is lost', async () => {
  const pool = await world.pool('lowered', { numPVs: 3 });
  await pool.isReady(3);
  using client = await pool.client();
  const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
  for (const key of keys) await client.put(key, blobOf(key, 10_000));
  expect(await pool.blobsOnDisk(2)).not.toEqual([]);
  await world.killOperator();
  await pool.change({ numPVs: 2 });
  const set = '/apis/apps/v1/namespaces/lowered/statefulsets/lowered-sts';
  await world.account.client.patch(set, { spec: { replicas: 2 } }); // nobody else may
  await eventually(async () => expect(await pool.pods()).toHaveLength(2));
  await world.startOperator();
  await pool.isReady(2);
  expect(await pool.blobsOnDisk(2)).toEqual([]);
  const listed = await runHoldfast(
    'blob',
    'ls',
    '-o=json',
    '--pool=lowered/lowered',
    `--kubeconfig=${world.plane.kubeconfig}`,
  );
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(
    listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).key)
      .toSorted(),
  ).toEqual(keys.toSorted());
});

test('nothing was asked for that the operator may not do', async () => {
  expect(await world.refusals()).toEqual([]);
});
