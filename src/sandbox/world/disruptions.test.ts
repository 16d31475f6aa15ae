import { expect, test } from 'vitest';
import { POD_DISRUPTION_BUDGETS } from '../../api/pod-disruption-budgets.ts';
import type { KubeObject } from '../../kit/kube/resource.ts';
import { PODS, SETS } from './resources.ts';
import { SimulatedWorld } from './simulated.ts';

async function aSetWith(budget: object): Promise<SimulatedWorld> {
  const world = new SimulatedWorld();
  world.node('n1');
  const labels = { app: 'web' };
  world.objects.create(SETS, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'one' }] } },
    },
  });
  const spec = { selector: { matchLabels: labels }, ...budget };
  world.objects.create(POD_DISRUPTION_BUDGETS, { metadata: { name: 'web', namespace: 'default' }, spec });
  await world.pass(60);
  return world;
}

const statusOf = (world: SimulatedWorld) =>
  (world.objects.get(POD_DISRUPTION_BUDGETS, 'default/web') as KubeObject & { readonly status?: object })?.status;

async function evict(world: SimulatedWorld, name: string): Promise<number> {
  const { status } = await world.cluster.transport().request({
    method: 'POST',
    path: `/api/v1/namespaces/default/pods/${name}/eviction`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } }),
    signal: new AbortController().signal,
    longLived: false,
  });
  return status;
}

test('as many pods may go at once as the budget says, and the next when those are back', async () => {
  const world = await aSetWith({ maxUnavailable: 1 });
  expect(statusOf(world)).toMatchObject({
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    observedGeneration: 1,
    conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }],
  });
  expect(await evict(world, 'web-1')).toBe(201);
  expect(await evict(world, 'web-2')).toBe(429);
  await world.pass(1);
  expect(statusOf(world)).toMatchObject({ disruptionsAllowed: 0, conditions: [{ status: 'False' }] });
  expect(await evict(world, 'web-2')).toBe(429);
  await world.pass(60);
  expect(world.objects.list(PODS)).toHaveLength(3);
  expect(statusOf(world)).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
  expect(await evict(world, 'web-2')).toBe(201);
});

test.each([
  [{ minAvailable: 2 }, { desiredHealthy: 2, disruptionsAllowed: 1 }],
  [{ minAvailable: '50%' }, { desiredHealthy: 2, disruptionsAllowed: 1 }],
  [{ maxUnavailable: '50%' }, { desiredHealthy: 1, disruptionsAllowed: 2 }],
  [{ minAvailable: '100%' }, { desiredHealthy: 3, disruptionsAllowed: 0 }],
  [{ maxUnavailable: 5 }, { desiredHealthy: 0, disruptionsAllowed: 3 }],
])('%j of three pods is %j', async (budget, status) => {
  expect(statusOf(await aSetWith(budget))).toMatchObject(status);
});

test('a budget that nobody has counted the pods of lets nobody go', async () => {
  const world = await aSetWith({ maxUnavailable: 1 });
  const budget = world.objects.get(POD_DISRUPTION_BUDGETS, 'default/web');
  if (!budget) expect.unreachable('there is no budget');
  world.objects.update(POD_DISRUPTION_BUDGETS, { ...budget, spec: { ...budget.spec, maxUnavailable: 2 } });
  expect(await evict(world, 'web-1')).toBe(429);
  await world.pass(1);
  expect(await evict(world, 'web-1')).toBe(201);
});
