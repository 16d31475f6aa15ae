/**
 * From three agents to six and back to two, with blobs of mixed sizes that are stored, read and removed all the time: nothing is lost,
 * nothing is damaged, and what cannot be served at once is served when it is asked for again. Then the same while everything is killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../harness/wait.ts';
import { replicasOver } from './replicas.ts';
import { type Counts, Traffic } from './traffic.ts';
import { type Pool, PoolWorld } from './world.ts';

/** 2000 in `make campaign`. */
const MEGABYTES = Number(process.env.POOL_MEGABYTES ?? 100);
/** Long enough for what a slow machine needs for as many bytes; it ends as soon as it can. */
const TIMEOUT = 240_000 + MEGABYTES * 600;
/** How many agents and operators are killed at least before the pool shrinks; it goes on until it has. */
const FIRST_KILLS = 3;

let world: PoolWorld;
beforeAll(async () => {
  world = await PoolWorld.start();
});
afterAll(() => world?.[Symbol.asyncDispose]());

/** What goes on beside it is told when it is over, and says when the pool may shrink. */
interface Meanwhile {
  readonly run: (over: AbortSignal) => Promise<unknown>;
  readonly mayShrink: () => boolean;
}

async function upAndDown(pool: Pool, { run, mayShrink }: Meanwhile): Promise<Counts> {
  await pool.isReady(3);
  using client = await pool.client();
  await using traffic = new Traffic(client, MEGABYTES * 1_000_000);
  await traffic.fill();
  await using replicas = await replicasOver(world, pool);
  traffic.begin();
  const over = new AbortController();
  const scaled = scale(pool, traffic, mayShrink).finally(() => over.abort());
  await Promise.all([scaled, run(over.signal)]);
  await traffic.end();
  console.log(pool.name, { ...traffic.counts, blobs: traffic.blobs, bytes: traffic.bytes });
  await traffic.audit();
  expect(traffic.wrongs).toEqual([]);
  expect(traffic.counts.unserved).toBe(0);
  for (const done of ['written', 'read', 'removed'] as const) expect(traffic.counts[done]).toBeGreaterThan(0);
  expect(replicas.seen).toEqual([3, 6, 2]);
  expect(replicas.leftBehind).toEqual([]);
  return traffic.counts;
}

async function scale(pool: Pool, traffic: Traffic, mayShrink: () => boolean): Promise<void> {
  await pool.change({ numPVs: 6 });
  await pool.isReady(6, TIMEOUT);
  await traffic.reads(20, TIMEOUT);
  await eventually(mayShrink, { timeout: TIMEOUT, for: 'the pool to be allowed to shrink' });
  await pool.change({ numPVs: 2 });
  await pool.isReady(2, TIMEOUT);
}

test('nothing is lost on the way', { timeout: TIMEOUT * 2 }, async () => {
  const pool = await world.pool('scaled', { numPVs: 3 });
  const { missed } = await upAndDown(pool, { run: async () => {}, mayShrink: () => true });
  expect(missed).toBe(0);
});

test('also when the operator and one of the agents are killed every second', { timeout: TIMEOUT * 3 }, async () => {
  // So slowly that agents are killed while they drain, and fast enough that the largest blob has a chance to move between two kills.
  const pool = await world.pool('killed', { numPVs: 3, drain: { bandwidth: '10Mi' } });
  const kills = { agents: 0, draining: 0, operators: 0 };
  await upAndDown(pool, {
    run: (over) =>
      Promise.all([killAgents(pool, kills, over), killOneThatDrains(pool, kills, over), killOperators(kills, over)]),
    mayShrink: () => Math.min(kills.agents, kills.operators) >= FIRST_KILLS,
  });
  console.log('killed', kills);
  expect(kills.draining).toBeGreaterThan(0);
});

/** Each second one of those that run, from when all do: on a machine on which they come back slowly the pool would never be whole. */
async function killAgents(pool: Pool, kills: { agents: number; draining: number }, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await eventually(async () => over.aborted || (await pool.isServed()), { timeout: TIMEOUT, for: 'all agents' });
    await pause(over);
    const ordinal = Math.floor(Math.random() * (await pool.pods()).length);
    const { state } = await pool.agentStatus(ordinal).catch(() => ({ state: 'Unknown' }));
    if (over.aborted || !world.pods.running().includes(pool.podName(ordinal))) continue;
    await world.pods.kill(pool.podName(ordinal));
    kills.agents += 1;
    if (state === 'Decommissioning') kills.draining += 1;
  }
}

/** At once: by chance none of those that are killed each second might have been draining, and that is what this is about. */
async function killOneThatDrains(pool: Pool, kills: { agents: number; draining: number }, over: AbortSignal) {
  const leaving = [2, 3, 4, 5].map((ordinal) => pool.podName(ordinal));
  while (!over.aborted && kills.draining === 0) {
    const running = leaving.filter((pod) => world.pods.running().includes(pod));
    const [draining] = (await Promise.all(running.map(drainingByItsLog))).flat();
    if (draining === undefined) await sleep(10);
    else {
      await world.pods.kill(draining);
      kills.agents += 1;
      kills.draining += 1;
    }
  }
}

/** To ask it would take longer than a drain may. */
async function drainingByItsLog(pod: string): Promise<readonly string[]> {
  const said = await world.pods.logOf(pod).catch(() => '');
  const isDraining = said.lastIndexOf('is Decommissioning') > said.lastIndexOf('is Decommissioned');
  return isDraining ? [pod] : [];
}

/** A second after it has begun to work. */
async function killOperators(kills: { operators: number }, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await eventually(() => world.operator.metric('controller_runtime_reconcile_total'), { for: 'the operator' });
    await pause(over);
    await world.killOperator();
    await world.startOperator();
    kills.operators += 1;
  }
}

const pause = (over: AbortSignal): Promise<void> => sleep(1_000, undefined, { signal: over }).catch(() => undefined);

test('nothing was asked for that the operator may not do', async () => {
  expect(await world.refusals()).toEqual([]);
});
