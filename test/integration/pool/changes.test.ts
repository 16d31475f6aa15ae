/** What changes about a pool while it serves: the size of its claims, its image, its number of agents by itself, and several at once. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WatchEvents } from '../../harness/raw-client.ts';
import type { Sayings } from '../../harness/two-endpoint-agent.ts';
import { eventually } from '../../harness/wait.ts';
import { blobOf } from './blob-content.ts';
import { replicasOver } from './replicas.ts';
import { NEVER, OURS, OURS_LATER, type Pod, type Pool, PoolWorld, TWO_ENDPOINTS } from './world.ts';

let world: PoolWorld;
beforeAll(async () => {
  world = await PoolWorld.start();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const says = async (pool: Pool, ordinal: number, sayings: Sayings): Promise<void> =>
  writeFile(join(await pool.volume(ordinal), 'says.json'), JSON.stringify(sayings));

describe('growing pvSizeGB', () => {
  const requests = async (pool: Pool): Promise<readonly string[]> => {
    const claims = await Promise.all([0, 1, 2].map((ordinal) => pool.claim(ordinal)));
    return claims.map(({ spec }) => spec.resources.requests.storage);
  };

  test('grows one claim after the other, each when the one before has grown', async () => {
    const pool = await world.pool('growing', { numPVs: 3 });
    await pool.isReady(3);
    const { metadata } = await pool.set();
    let allowed = 0;
    const grown = new Set<string>();
    world.pods.volumes.mayGrow = (claim) => grown.has(claim) || (grown.size < allowed && grown.add(claim).size > 0);
    await pool.change({ pvSizeGB: 2 });
    for (allowed = 0; allowed < 3; allowed++) {
      await eventually(async () =>
        expect((await requests(pool)).filter((size) => size === '2Gi')).toHaveLength(allowed + 1),
      );
      await pool.says('Progressing', 'True', /vol-growing-sts-\d/);
      await world.looksAgain(pool);
      expect((await requests(pool)).filter((size) => size === '2Gi')).toHaveLength(allowed + 1);
    }
    await pool.says('Progressing', 'False', /./);
    const claims = await Promise.all([0, 1, 2].map((ordinal) => pool.claim(ordinal)));
    expect(claims.map(({ status }) => status.capacity?.storage)).toEqual(['2Gi', '2Gi', '2Gi']);
    expect((await pool.set()).metadata.uid).toBe(metadata.uid);
    world.pods.volumes.mayGrow = () => true;
    await pool.change({ numPVs: 4 });
    await pool.isReady(4);
    await eventually(async () =>
      expect(await pool.claim(3)).toMatchObject({ status: { capacity: { storage: '2Gi' } } }),
    );
  });

  test('says so where the class forbids it, and touches no claim', async () => {
    const pool = await world.pool('rigid', { numPVs: 3, storageClass: 'rigid' });
    await pool.isReady(3);
    await pool.change({ pvSizeGB: 2 });
    await pool.says('Degraded', 'True', /rigid/);
    expect(await requests(pool)).toEqual(['1Gi', '1Gi', '1Gi']);
    expect((await world.refusals()).filter((request) => request.includes('claims'))).toEqual([]);
  });

  test('is all that is allowed: a pool that is to shrink is refused with the reason', async () => {
    const pool = await world.pool('shrinking', { pvSizeGB: 2 });
    await expect(pool.change({ pvSizeGB: 1 })).rejects.toThrow(/pvSizeGB/);
  });
});

describe('another image', () => {
  const imagesOf = async (pool: Pool): Promise<readonly string[]> =>
    (await pool.pods()).map(({ spec }) => spec.containers[0].image);

  test('comes one agent at a time, each when the one before is healthy, and nothing is lost', async () => {
    const pool = await world.pool('rolled', { numPVs: 3 });
    await pool.isReady(3);
    using client = await pool.client();
    const keys = Array.from({ length: 30 }, (_, n) => `key-${n}`);
    for (const key of keys) await client.put(key, blobOf(key, 10_000));
    await using disruptions = await mostUnready(pool);
    await pool.change({ image: OURS_LATER });
    await eventually(async () => expect(await imagesOf(pool)).toEqual([OURS_LATER, OURS_LATER, OURS_LATER]));
    await pool.isReady(3);
    expect(disruptions.most).toBe(1);
    expect(disruptions.order).toEqual([2, 1, 0].map((ordinal) => pool.podName(ordinal)));
    for (const key of keys) expect(await client.head(key)).toBeDefined();
  });

  test('that never starts stops at the first, and what was before brings the pool back', async () => {
    const pool = await world.pool('stuck', { numPVs: 3 });
    await pool.isReady(3);
    await pool.change({ image: NEVER });
    await pool.says('Degraded', 'True', /stuck-sts-2.*ImagePullBackOff/);
    await world.looksAgain(pool);
    expect(await imagesOf(pool)).toEqual([OURS, OURS, NEVER]);
    await pool.change({ image: OURS });
    await eventually(async () => expect(await imagesOf(pool)).toEqual([OURS, OURS, OURS]));
    await pool.isReady(3);
  });

  test('whose agent starts and does not get healthy stops at the first, too', async () => {
    const pool = await world.pool('sick', { numPVs: 3 });
    await pool.isReady(3);
    await says(pool, 2, { state: 'Initializing' });
    await pool.change({ image: TWO_ENDPOINTS, args: [] });
    await eventually(async () => expect(await imagesOf(pool)).toEqual([OURS, OURS, TWO_ENDPOINTS]));
    await pool.says('Ready', 'False', /sick-sts-2/);
    await world.looksAgain(pool);
    expect(await imagesOf(pool)).toEqual([OURS, OURS, TWO_ENDPOINTS]);
    await says(pool, 2, {});
    await eventually(async () => expect(await imagesOf(pool)).toEqual([TWO_ENDPOINTS, TWO_ENDPOINTS, TWO_ENDPOINTS]));
    await pool.isReady(3);
  });
});

test('raising numPVs during a drain waits until the drain is done', async () => {
  const pool = await world.pool('waiting', { numPVs: 3, drain: { bandwidth: '200Ki' } });
  await pool.isReady(3);
  using client = await pool.client();
  const keys = Array.from({ length: 30 }, (_, n) => `key-${n}`);
  for (const key of keys) await client.put(key, blobOf(key, 50_000));
  await using replicas = await replicasOver(world, pool);
  await pool.change({ numPVs: 1 });
  await eventually(async () => expect(await pool.agentStatus(2)).toMatchObject({ state: 'Decommissioning' }));
  await pool.change({ numPVs: 4 });
  await world.looksAgain(pool);
  expect(replicas.seen).toEqual([3]);
  expect(await pool.look()).toMatchObject({ status: { phase: 'ScalingDown', operation: { from: 3, to: 1 } } });
  await pool.isReady(4);
  expect(replicas.seen).toEqual([3, 1, 4]);
  expect(replicas.leftBehind).toEqual([]);
  for (const key of keys) expect(await client.head(key)).toBeDefined();
});

test('autoscaling follows what is used, within its bounds, and not back and forth', async () => {
  const autoscaling = { minPVs: 2, maxPVs: 4, targetUsedPercent: 70, scaleUpAfterSeconds: 1, scaleDownAfterSeconds: 1 };
  const pool = await world.pool('scaling', { image: TWO_ENDPOINTS, args: [], numPVs: 2, autoscaling });
  await pool.isReady(2);
  await using replicas = await replicasOver(world, pool);
  // Of what such an agent has if it is not told otherwise, so that one that is new is as large as the others.
  const used = async (percent: number, ...ordinals: readonly number[]) => {
    for (const ordinal of ordinals) await says(pool, ordinal, { used: Math.round((percent * 2 ** 30) / 100) });
  };
  await used(90, 0, 1);
  await pool.annotate({ looked: '1' });
  await pool.isReady(3);
  await world.looksAgain(pool);
  // 60 % of three, the new one being empty; of two it would be 90 %: neither way.
  expect(replicas.seen).toEqual([2, 3]);
  await used(95, 0, 1, 2);
  await pool.annotate({ looked: '2' });
  await pool.isReady(4);
  await used(95, 3);
  await world.looksAgain(pool);
  expect(replicas.seen).toEqual([2, 3, 4]);
  await used(5, 0, 1, 2, 3);
  await pool.annotate({ looked: '3' });
  await pool.isReady(2);
  expect(replicas.seen.at(-1)).toBe(2);
  expect(await pool.look()).toMatchObject({ spec: { numPVs: 2 } });
});

test('kubectl scale of the pool is a change of numPVs, with all that belongs to it', async () => {
  const pool = await world.pool('subresource', { numPVs: 1 });
  await pool.isReady(1);
  expect(await world.admin.get(`${pool.path}/scale`)).toMatchObject({
    spec: { replicas: 1 },
    status: { replicas: 1, selector: 'pv-pool=subresource' },
  });
  await world.admin.patch(`${pool.path}/scale`, { spec: { replicas: 2 } });
  await pool.isReady(2);
});

test('nothing was asked for that the operator may not do', async () => {
  expect(await world.refusals()).toEqual([]);
});

/** The most pods that were not ready at the same time, and in which order they came anew. */
async function mostUnready(pool: Pool): Promise<Disruptions> {
  const selector = `labelSelector=pv-pool%3D${pool.name}`;
  const path = `/api/v1/namespaces/${pool.namespace}/pods`;
  const { metadata, items } = await world.admin.list<Pod>(`${path}?${selector}`);
  const from = `resourceVersion=${metadata.resourceVersion}`;
  const events = await world.admin.watch<Pod>(`${path}?watch=true&${selector}&${from}`);
  return new Disruptions(events, new Set(items.map(({ metadata: { name } }) => name)));
}

class Disruptions implements AsyncDisposable {
  most = 0;
  readonly order: string[] = [];
  readonly #events: WatchEvents<Pod>;
  readonly #all: ReadonlySet<string>;
  readonly #ready: Set<string>;

  constructor(events: WatchEvents<Pod>, names: ReadonlySet<string>) {
    this.#events = events;
    this.#all = names;
    this.#ready = new Set(names);
    // A watch that is left breaks off, and says so.
    void this.#follow().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events.return().catch(() => undefined);
  }

  async #follow(): Promise<void> {
    for await (const { type, object } of this.#events) {
      const { name } = object.metadata;
      const isReady = object.status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');
      if (type === 'ADDED') this.order.push(name);
      if (type !== 'DELETED' && isReady && !object.metadata.deletionTimestamp) this.#ready.add(name);
      else this.#ready.delete(name);
      this.most = Math.max(this.most, this.#all.size - this.#ready.size);
    }
  }
}
