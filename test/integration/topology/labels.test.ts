/** The job as people run it, with the flags that it has by default: whatever happens leads to the right labels, long before the resync. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { type Holdfast, kubeconfigFlag, startHoldfast } from '../../harness/holdfast.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { MAY_LABEL, MAY_TELL } from './rights.ts';
import { type Labels, REGION, type Volume, WORLD, World, ZONE } from './world.ts';

let plane: ControlPlane;
let holdfast: Holdfast;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  const account = await createServiceAccount(plane, { name: 'topology', clusterRules: [...MAY_LABEL, ...MAY_TELL] });
  holdfast = await startHoldfast(
    'topology',
    '--narrow-after=1s',
    await kubeconfigFlag(plane.directory, account, plane),
  );
  await holdfast.ready();
});
afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

const worldOf = (name: string) => new World({ name, admin: plane.admin, controllers: true });

const NORTH_A = { zone: 'a', region: 'north' };
const SOUTH_B = { zone: 'b', region: 'south' };
const labels = (zone: string, region: string): Labels => ({ [ZONE]: zone, [REGION]: region });

const warningsAbout = (node: string) => holdfast.logged.filter((line) => line.level === 'warn' && line.node === node);

describe('a pod that is ready labels its volume, of any type:', () => {
  test.each(['csi', 'nfs', 'hostPath', 'local'] as const)('%s', async (type) => {
    const world = worldOf(`type-${type.toLowerCase()}`);
    const node = await world.node(NORTH_A);
    const { volume } = await world.used(node, { type, ...(type === 'local' && { node }) });
    await world.hasLabels(volume, labels('a', 'north'));
  });
});

test('the volume of an ephemeral claim, which the cluster makes for one pod, is labelled', async () => {
  const world = worldOf('ephemeral');
  const node = await world.node(NORTH_A);
  const pod = await world.pod({ node, ephemeral: ['scratch'] });
  const volume = await world.volume({ claim: `${pod}-scratch` });
  await world.ready(pod);
  await world.hasLabels(volume, labels('a', 'north'));
});

test('a pod that is not ready labels nothing, until it is', async () => {
  const world = worldOf('not-ready');
  const node = await world.node(NORTH_A);
  const volume = await world.volume();
  const pod = await world.pod({ claims: [await world.claim(volume)], node });
  await world.unready(pod);
  await world.settled();
  expect(await world.labelsOf(volume)).toEqual({});
  await world.ready(pod);
  await world.hasLabels(volume, labels('a', 'north'));
});

test('a claim that is bound after its pod is ready counts all the same', async () => {
  const world = worldOf('late');
  const node = await world.node(NORTH_A);
  const claim = await world.claim();
  await world.readyPod(node, claim);
  await world.settled();
  const volume = await world.volume({ claim, labels: { [WORLD]: claim } });
  await world.hasLabels(volume, { ...labels('a', 'north') });
});

test('a volume that is deleted and made anew under the same name is labelled again', async () => {
  const world = worldOf('anew');
  const node = await world.node(NORTH_A);
  const { volume, claim, pod } = await world.used(node);
  await world.hasLabels(volume, labels('a', 'north'));
  await world.removePod(pod);
  await world.removeClaim(claim);
  await world.removeVolume(volume);
  await world.volume({ name: volume });
  await world.settled();
  expect(await world.labelsOf(volume)).toEqual({});
  await world.readyPod(node, await world.claim(volume));
  await world.hasLabels(volume, labels('a', 'north'));
});

test('a label that somebody removes comes back', async () => {
  const world = worldOf('removed');
  const { volume } = await world.used(await world.node(NORTH_A));
  await world.hasLabels(volume, labels('a', 'north'));
  await world.edit(volume, { metadata: { labels: { [ZONE]: null } } });
  await world.hasLabels(volume, labels('a', 'north'));
  await world.edit(volume, { metadata: { labels: { [ZONE]: null, [REGION]: null } } });
  await world.hasLabels(volume, labels('a', 'north'));
  expect(await world.events(volume)).toEqual([]);
});

test('a label that somebody edits is put back, and an Event names who it was', async () => {
  const world = worldOf('edited');
  const { volume } = await world.used(await world.node(NORTH_A));
  await world.hasLabels(volume, labels('a', 'north'));
  await world.edit(volume, { metadata: { labels: { [ZONE]: 'elsewhere' } } }, 'kubectl-label');
  await world.hasLabels(volume, labels('a', 'north'));
  await eventually(async () => expect(await world.events(volume)).not.toEqual([]));
  const { uid } = (await world.look(volume)).metadata;
  expect(await world.events(volume)).toMatchObject([
    {
      type: 'Normal',
      reason: 'TopologyReplaced',
      regarding: { kind: 'PersistentVolume', name: volume, uid },
      note: expect.stringContaining(`${ZONE} was "elsewhere", written by kubectl-label, and is now "a"`),
    },
  ]);
});

test('a node whose labels change has the volumes of its pods labelled anew', async () => {
  const world = worldOf('relabelled');
  const node = await world.node(NORTH_A);
  const { volume } = await world.used(node);
  await world.hasLabels(volume, labels('a', 'north'));
  await world.labelNode(node, { [ZONE]: 'c' });
  await world.hasLabels(volume, labels('c', 'north'));
});

test('a node that loses its labels takes none from its volumes', async () => {
  const world = worldOf('bereft');
  const node = await world.node(NORTH_A);
  const { volume } = await world.used(node);
  await world.hasLabels(volume, labels('a', 'north'));
  const before = await world.look(volume);
  await world.labelNode(node, { [ZONE]: null, [REGION]: null });
  await world.settled();
  expect(await world.look(volume)).toEqual(before);
});

test('a pod that moves to another zone takes the labels with it', async () => {
  const world = worldOf('moves');
  const [here, there] = [await world.node(NORTH_A), await world.node(SOUTH_B)];
  const { volume, claim, pod } = await world.used(here);
  await world.hasLabels(volume, labels('a', 'north'));
  await world.removePod(pod);
  await world.settled();
  expect(await world.labelsOf(volume)).toEqual(labels('a', 'north'));
  await world.readyPod(there, claim);
  await world.hasLabels(volume, labels('b', 'south'));
  expect(await world.events(volume)).toEqual([]);
});

test('a node with a zone only gives a zone only, and one with a region only a region', async () => {
  const world = worldOf('half');
  const { volume: zoned } = await world.used(await world.node({ zone: 'a' }));
  const { volume: regional } = await world.used(await world.node({ region: 'north' }));
  await world.hasLabels(zoned, { [ZONE]: 'a' });
  await world.hasLabels(regional, { [REGION]: 'north' });
});

test('a node with neither gives nothing: one warning and one Event on the node, however many volumes there are', async () => {
  const world = worldOf('bare');
  const node = await world.node();
  const { volume: first } = await world.used(node);
  const { volume: second } = await world.used(node);
  const before = [await world.look(first), await world.look(second)];
  await world.settled();
  expect([await world.look(first), await world.look(second)]).toEqual(before);
  expect(warningsAbout(node)).toHaveLength(1);
  await eventually(async () => expect(await world.events(node)).toHaveLength(1));
  expect(await world.events(node)).toMatchObject([
    { type: 'Warning', reason: 'TopologyMissing', regarding: { kind: 'Node' }, note: expect.stringContaining(node) },
  ]);
});

test('a zone that cannot stand on a volume is not taken over: an Event says why, and it is labelled when the node is put right', async () => {
  const world = worldOf('unusable');
  const node = await world.node({ zone: 'a__b' });
  const { volume } = await world.used(node);
  await eventually(async () => {
    expect(await world.events(volume)).toMatchObject([
      { type: 'Warning', reason: 'TopologyUnusable', note: expect.stringContaining(`${ZONE} of node ${node}`) },
    ]);
  });
  expect(await world.labelsOf(volume)).toEqual({});
  await world.labelNode(node, { [ZONE]: 'a' });
  await world.hasLabels(volume, { [ZONE]: 'a' });
});

test('a pod on a node that is not there labels nothing, until the node is', async () => {
  const world = worldOf('nowhere');
  const { volume } = await world.used('nowhere-yet');
  await world.settled();
  expect(await world.labelsOf(volume)).toEqual({});
  await world.node({ name: 'nowhere-yet', ...NORTH_A });
  await world.hasLabels(volume, labels('a', 'north'));
});

test('somebody who undoes the labels again and again is answered after a while, and there is an Event for it', async () => {
  const world = worldOf('contested');
  const { volume } = await world.used(await world.node({ zone: 'a' }));
  await world.hasLabels(volume, { [ZONE]: 'a' });
  const contested = async () => (await world.events(volume)).filter(({ reason }) => reason === 'TopologyContested');
  await eventually(async () => {
    if ((await world.labelsOf(volume))[ZONE] === 'a') {
      await world.edit(volume, { metadata: { labels: { [ZONE]: null } } });
    }
    expect(await contested()).toMatchObject([{ type: 'Warning', regarding: { name: volume } }]);
  });
  await world.hasLabels(volume, { [ZONE]: 'a' });
});

test('what it does can be read from its metrics', async () => {
  const world = worldOf('metrics');
  const node = await world.node({ zone: 'a' });
  await world.volume();
  const before = await eventually(() => Promise.all(METRICS.map((metric) => holdfast.metric(...metric))));
  const { volume } = await world.used(node, { labels: { [ZONE]: 'wrong' } });
  await world.hasLabels(volume, { [ZONE]: 'a' });
  const { volume: second } = await world.used(node);
  await world.hasLabels(second, { [ZONE]: 'a' });
  await world.volume();
  await eventually(async () => {
    const after = await Promise.all(METRICS.map((metric) => holdfast.metric(...metric)));
    expect(after.map((value, i) => value - (before[i] ?? 0))).toEqual([2, 1, 2, 1, 1]);
  });
});

/** Of two volumes that are labelled, one of them against somebody else's label, and one that nobody claims. */
const METRICS: readonly (readonly [string, RegExp])[] = [
  ['holdfast_topology_writes_total', /result="written"/],
  ['holdfast_topology_conflicts_total', /outcome="replaced"/],
  ['holdfast_topology_volumes_labelled', /.*/],
  ['holdfast_topology_volumes_unlabelled', /reason="volumeIsUnclaimed"/],
  ['holdfast_topology_ready_to_label_seconds_count', /.*/],
];

describe('a volume that is shared', () => {
  const SHARED = { type: 'nfs', modes: ['ReadWriteMany'] } as const;

  test('by two zones names both, as long as a pod is in the second, ready or not, and one when it is gone', async () => {
    const world = worldOf('shared');
    const [a, b] = [await world.node(NORTH_A), await world.node({ zone: 'b', region: 'north' })];
    const { volume, claim } = await world.used(b, SHARED);
    const second = await world.readyPod(a, claim);
    await world.hasLabels(volume, labels('a__b', 'north'));
    await world.unready(second);
    await world.settled();
    expect(await world.labelsOf(volume)).toEqual(labels('a__b', 'north'));
    await world.removePod(second);
    await world.hasLabels(volume, labels('b', 'north'));
  });

  test('is given up by a pod that has ended, though it is still there', async () => {
    const world = worldOf('ended');
    const [a, b] = [await world.node({ zone: 'a' }), await world.node({ zone: 'b' })];
    const { volume, claim } = await world.used(a, SHARED);
    const second = await world.readyPod(b, claim);
    await world.hasLabels(volume, { [ZONE]: 'a__b' });
    await world.ended(second);
    await world.hasLabels(volume, { [ZONE]: 'a' });
  });

  test('keeps both through pods that come and go in a zone that still has one', async () => {
    const world = worldOf('crowded');
    const [a, b] = [await world.node(NORTH_A), await world.node({ zone: 'b', region: 'north' })];
    const { volume, claim, pod } = await world.used(a, SHARED);
    await world.readyPod(a, claim);
    await world.readyPod(b, claim);
    await world.hasLabels(volume, labels('a__b', 'north'));
    const before = await world.look(volume);
    await world.removePod(pod);
    await world.settled();
    expect(await world.look(volume)).toEqual(before);
  });
});

test('of the volume nothing changes but the labels that it gets', async () => {
  const world = worldOf('whole');
  const node = await world.node(NORTH_A);
  const volume = await world.volume({
    labels: { team: 'web', 'failure-domain.beta.kubernetes.io/zone': 'old' },
    annotations: { 'example.com/note': 'keep "this"' },
    finalizers: ['example.com/hold'],
  });
  const claim = await world.claim(volume);
  const before = await world.look(volume);
  await world.readyPod(node, claim);
  const wanted = { team: 'web', 'failure-domain.beta.kubernetes.io/zone': 'old', ...labels('a', 'north') };
  await world.hasLabels(volume, wanted);
  const after = await world.look(volume);
  expect(withoutOurs(after)).toEqual(withoutOurs(before));
  await world.edit(volume, { metadata: { finalizers: null } });
});

/** The object without what a write of our labels may change. */
function withoutOurs({ metadata, ...rest }: Volume) {
  const { resourceVersion: _, managedFields: __, labels: all = {}, ...others } = metadata;
  const { [ZONE]: ___, [REGION]: ____, ...theirs } = all;
  return { ...rest, metadata: { ...others, labels: theirs } };
}

describe('a claim that was deleted and made anew says nothing about the volume that its namesake had', () => {
  async function released(world: World): Promise<{ volume: string; claim: string; before: Volume }> {
    const { volume, claim, pod } = await world.used(await world.node(NORTH_A));
    await world.hasLabels(volume, labels('a', 'north'));
    await world.removePod(pod);
    await world.removeClaim(claim);
    await eventually(async () => (await world.look(volume)).status.phase === 'Released');
    return { volume, claim, before: await world.look(volume) };
  }

  test('when it has another volume', async () => {
    const world = worldOf('released');
    const { volume, claim, before } = await released(world);
    const other = await world.volume();
    await world.claim(other, claim);
    await world.readyPod(await world.node(SOUTH_B), claim);
    await world.hasLabels(other, labels('b', 'south'));
    await world.settled();
    expect(await world.look(volume)).toEqual(before);
  });

  test('when it wants the same volume, which it does not get', async () => {
    const world = worldOf('released-and-wanted');
    const { volume, claim, before } = await released(world);
    await world.askFor(volume, claim);
    await world.readyPod(await world.node(SOUTH_B), claim);
    await world.settled();
    expect(await world.look(volume)).toEqual(before);
  });
});
