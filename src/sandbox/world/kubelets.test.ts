import { expect, test } from 'vitest';
import { CLAIMS, NODES, PODS } from './resources.ts';
import { SimulatedWorld } from './simulated.ts';

async function running(): Promise<SimulatedWorld> {
  const world = new SimulatedWorld();
  world.node('n1');
  world.pod('p');
  await world.pass();
  return world;
}

const isReady = (world: SimulatedWorld) =>
  world.thePod('p').status?.conditions?.find(({ type }) => type === 'Ready')?.status;

test('a node that joins is ready', async () => {
  const world = await running();
  expect(world.objects.get(NODES, 'n1')?.status?.conditions).toEqual([
    expect.objectContaining({ type: 'Ready', status: 'True', reason: 'KubeletReady' }),
  ]);
});

test('a pod that is deleted ends gracefully: it is there for a moment, and then gone', async () => {
  const world = await running();
  world.objects.remove(PODS, 'default/p');
  expect(world.thePod('p').metadata.deletionTimestamp).toBeDefined();
  await world.pass();
  expect(world.objects.get(PODS, 'default/p')).toBeUndefined();
});

test('a pod does not start before its claims are bound', async () => {
  const world = new SimulatedWorld();
  world.node('n1');
  world.claim('data', { volumeName: 'late' });
  world.pod('p', ['data'], { nodeName: 'n1' });
  await world.pass();
  expect(world.thePod('p').status?.phase).toBe('Pending');
  world.volume('late');
  await world.pass();
  expect(world.thePod('p').status?.phase).toBe('Running');
});

test('a node that is switched off is unreachable after a while, its pods unready, then evicted, and gone when it comes back', async () => {
  const world = await running();
  world.world.kubelets.switchOff('n1');
  await world.pass(20);
  expect(isReady(world)).toBe('True');
  await world.pass(60);
  expect(isReady(world)).toBe('False');
  expect(world.objects.get(NODES, 'n1')?.spec?.taints).toHaveLength(2);
  await world.pass(400);
  expect(world.thePod('p').metadata.deletionTimestamp).toBeDefined();
  world.world.kubelets.switchOn('n1');
  await world.pass();
  expect(world.objects.get(PODS, 'default/p')).toBeUndefined();
  expect(world.objects.get(NODES, 'n1')?.spec?.taints ?? []).toEqual([]);
});

test('pods of a node that was removed are removed', async () => {
  const world = await running();
  world.objects.remove(NODES, 'n1');
  await world.pass();
  expect(world.objects.get(PODS, 'default/p')).toBeUndefined();
});

test('a claim that is deleted stays as long as a pod has it, even one that has ended', async () => {
  const world = new SimulatedWorld();
  world.node('n1');
  world.volume('pv');
  world.claim('data');
  world.pod('p', ['data']);
  await world.pass();
  world.objects.remove(CLAIMS, 'default/data');
  const pod = world.thePod('p');
  world.objects.update(PODS, { ...pod, status: { ...pod.status, phase: 'Succeeded' } }, 'status');
  await world.pass();
  expect(world.theClaim('data').metadata.deletionTimestamp).toBeDefined();
  world.objects.remove(PODS, 'default/p');
  await world.pass();
  expect(() => world.theClaim('data')).toThrow('there is no');
  expect(world.theVolume('pv').status?.phase).toBe('Released');
});

test('nothing is remembered of pods that somebody removes at once, while they start or end', async () => {
  const world = new SimulatedWorld();
  world.node('n1');
  world.pod('starts', [], { nodeName: 'n1' });
  world.pod('ends', [], { nodeName: 'n1' });
  await world.pass(1);
  world.objects.remove(PODS, 'default/ends');
  await world.pass(0.1);
  expect(world.world.remembered).toBe(3);
  for (const pod of ['starts', 'ends']) world.objects.remove(PODS, `default/${pod}`, { gracePeriodSeconds: 0 });
  expect(world.world.remembered).toBe(0);
});
