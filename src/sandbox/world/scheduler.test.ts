import { expect, test } from 'vitest';
import { NODES, VOLUMES } from './resources.ts';
import { SimulatedWorld } from './simulated.ts';

const ZONE = 'topology.kubernetes.io/zone';
const zone = (name: string) => ({ [ZONE]: name });
const onHost = (name: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
    },
  },
});

/** Three nodes: one in zone a, one in b with a taint, one in c that takes no pods. */
async function threeNodes(): Promise<SimulatedWorld> {
  const world = new SimulatedWorld();
  world.node('n1', zone('a'));
  world.node('n2', zone('b'));
  world.node('n3', zone('c'));
  await world.pass();
  const [, two, three] = world.objects.list(NODES);
  if (two) world.objects.update(NODES, { ...two, spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } });
  if (three) world.objects.update(NODES, { ...three, spec: { unschedulable: true } });
  return world;
}

/** As a kube-scheduler 1.36 says it. */
const whyNot = (first: string) =>
  `0/3 nodes are available: 1 node(s) ${first}, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.`;

test('a pod is placed where it can run, and is ready a moment later', async () => {
  const world = await threeNodes();
  world.pod('p');
  await world.pass();
  expect(world.thePod('p').spec?.nodeName).toBe('n1');
  expect(world.thePod('p').status).toMatchObject({ phase: 'Running', podIP: expect.any(String) });
  expect(world.toldOf('p')).toEqual(['Scheduled: Successfully assigned default/p to n1']);
});

test.each([
  ['no node has its zone', { labels: zone('zz') }, {}, 'had no available volume zone'],
  ['its node is gone', {}, onHost('nx'), "didn't match PersistentVolume's node affinity"],
])('a pod whose volume can be reached from no node, as %s, is told why', async (_, metadata, spec, why) => {
  const world = await threeNodes();
  world.volume('pv', spec, metadata);
  world.claim('data');
  await world.pass();
  world.pod('p', ['data']);
  await world.pass();
  expect(world.whyPending('p')).toBe(whyNot(why));
  expect(world.toldOf('p')).toEqual([`FailedScheduling: ${whyNot(why)}`]);
});

test('a volume whose label names several zones can be reached from each of them', async () => {
  const world = await threeNodes();
  world.volume('pv', {}, { labels: zone('x__a') });
  world.claim('data');
  await world.pass();
  world.pod('p', ['data']);
  await world.pass();
  expect(world.thePod('p').spec?.nodeName).toBe('n1');
});

test.each([
  ['a selector', { nodeSelector: { a: 'b' } }],
  [
    'an affinity',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
          },
        },
      },
    },
  ],
])('a pod with %s waits for a node that it selects', async (_, spec) => {
  const world = new SimulatedWorld();
  world.node('n1');
  world.pod('p', [], spec);
  await world.pass();
  expect(world.whyPending('p')).toContain("1 node(s) didn't match Pod's node affinity/selector");
  world.node('n2', { a: 'b' });
  await world.pass();
  expect(world.thePod('p').spec?.nodeName).toBe('n2');
});

test.each([
  ['a claim that is not there', ['nothing'], 'persistentvolumeclaim "nothing" not found'],
  ['a claim that is not bound', ['data'], 'pod has unbound immediate PersistentVolumeClaims'],
])('a pod with %s waits', async (_, claims, why) => {
  const world = await threeNodes();
  world.claim('data');
  world.pod('p', claims);
  await world.pass();
  expect(world.whyPending('p')).toBe(`0/3 nodes are available: ${why}. not found`);
});

test('a claim that waits for its first consumer gets a volume of the node that the pod can run on', async () => {
  const world = await threeNodes();
  world.storageClass('wait', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer');
  world.volume('elsewhere', { storageClassName: 'wait', ...onHost('n2') });
  world.claim('data', { storageClassName: 'wait' });
  world.pod('p', ['data']);
  await world.pass();
  expect(world.whyPending('p')).toBe(whyNot("didn't find available persistent volumes to bind"));
  world.volume('here', { storageClassName: 'wait', ...onHost('n1') });
  await world.pass();
  expect(world.theClaim('data').spec?.volumeName).toBe('here');
  expect(world.thePod('p').spec?.nodeName).toBe('n1');
  expect(world.objects.get(VOLUMES, 'elsewhere')?.status?.phase).toBe('Available');
});

test('a claim that is provisioned for its first consumer is made where that is to run', async () => {
  const world = await threeNodes();
  world.storageClass('made', 'disks.sandbox.holdfast.dev', 'WaitForFirstConsumer');
  world.claim('data', { storageClassName: 'made' });
  await world.pass();
  expect(world.objects.list(VOLUMES)).toEqual([]);
  world.pod('p', ['data']);
  await world.pass();
  expect(world.theClaim('data').metadata.annotations?.['volume.kubernetes.io/selected-node']).toBe('n1');
  const { volumeName = '' } = world.theClaim('data').spec ?? {};
  expect(JSON.stringify(world.theVolume(volumeName).spec?.nodeAffinity)).toContain('"values":["a"]');
  expect(world.thePod('p').status?.phase).toBe('Running');
});

test('a pod that tolerates everything goes where nobody else is placed any more', async () => {
  const world = new SimulatedWorld();
  world.node('n1');
  const node = world.objects.get(NODES, 'n1');
  if (!node) expect.unreachable('there is no node');
  world.objects.update(NODES, { ...node, spec: { unschedulable: true } });
  world.pod('any');
  world.pod('tolerant', [], { tolerations: [{ operator: 'Exists' }] });
  world.pod('other', [], { tolerations: [{ key: 'example.com/other', operator: 'Exists' }] });
  await world.pass(60);
  const placed = (name: string) => world.thePod(name).spec?.nodeName;
  expect([placed('any'), placed('tolerant'), placed('other')]).toEqual([undefined, 'n1', undefined]);
});
