/** The real scheduler and PV controller: what our labels do to pods, and that the status names those that wait because of them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { type Holdfast, kubeconfigFlag, runHoldfast, startHoldfast } from '../../harness/holdfast.ts';
import { createServiceAccount, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { MAY_LABEL, MAY_TELL } from './rights.ts';
import { World, ZONE } from './world.ts';

interface Unplaceable {
  readonly pod: string;
  readonly volumes: readonly string[];
  readonly why: string;
}

let plane: ControlPlane;
let account: ServiceAccount;
let kubeconfig: string;
let smallInA: readonly string[];
let largeInB: readonly string[];

/** The nodes of zone b have far more to offer: without a label that is where the scheduler goes. */
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  account = await createServiceAccount(plane, { name: 'topology', clusterRules: [...MAY_LABEL, ...MAY_TELL] });
  kubeconfig = await kubeconfigFlag(plane.directory, account, plane);
  const world = worldOf('shared');
  smallInA = [await world.node({ zone: 'a', cpu: 2 }), await world.node({ zone: 'a', cpu: 2 })];
  largeInB = [await world.node({ zone: 'b', cpu: 64 }), await world.node({ zone: 'b', cpu: 64 })];
});
afterAll(async () => {
  await account?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

/** Pods of the test before would be in the status of the next. */
beforeEach(async () => {
  const pods = '/api/v1/namespaces/default/pods';
  for (const { metadata } of (await plane.admin.list(pods)).items) await worldOf('any').removePod(metadata.name);
});

const worldOf = (name: string) => new World({ name, admin: plane.admin, controllers: true });
const labelling = (): Promise<Holdfast> => startHoldfast('topology', kubeconfig);
const inZone = (zone: string) => ({ nodeSelector: { [ZONE]: zone } });

const placedOn = (world: World, pod: string) =>
  eventually(async () => (await world.nodeOf(pod)) ?? false, { for: `${pod} to be placed` });
const pendingBecause = (world: World, pod: string) =>
  eventually(async () => (await world.whyPending(pod)) ?? false, { for: `${pod} to be found impossible to place` });

async function unplaceable(): Promise<readonly Unplaceable[]> {
  const { code, stdout } = await runHoldfast('status', 'topology', '-o', 'json', kubeconfig);
  expect(code).toBe(0);
  return JSON.parse(stdout).unplaceable;
}

/** A bound volume that has run ready in a zone, and nobody uses now. */
async function livedIn(world: World, zone: string): Promise<{ volume: string; claim: string }> {
  const volume = await world.volume();
  const claim = await world.claim(volume);
  const pod = await world.pod({ claims: [claim], ...inZone(zone) });
  await placedOn(world, pod);
  await world.ready(pod);
  await world.hasLabels(volume, { [ZONE]: zone });
  await world.removePod(pod);
  return { volume, claim };
}

describe('a volume that says nothing about nodes', () => {
  test('lets its pods go to any zone before it is labelled, and only to its own afterwards', async () => {
    const world = worldOf('only-there');
    const volume = await world.volume();
    const claim = await world.claim(volume);

    const anywhere = await world.pod({ claims: [claim], cpu: 1 });
    expect(largeInB).toContain(await placedOn(world, anywhere));
    await world.removePod(anywhere);
    const forced = await world.pod({ claims: [claim], ...inZone('b') });
    expect(largeInB).toContain(await placedOn(world, forced));
    await world.removePod(forced);

    const first = await world.pod({ claims: [claim], ...inZone('a') });
    expect(smallInA).toContain(await placedOn(world, first));
    await world.ready(first);
    await using _job = await labelling();
    await world.hasLabels(volume, { [ZONE]: 'a' });
    await world.removePod(first);

    for (let i = 0; i < 5; i++) {
      const free = await world.pod({ cpu: 1 });
      expect(largeInB).toContain(await placedOn(world, free));
      const next = await world.pod({ claims: [claim], cpu: 1 });
      expect(smallInA).toContain(await placedOn(world, next));
      await world.removePod(next);
    }
  });

  test('keeps a pod that must go to another zone waiting, and the status names this pod and no other', async () => {
    const world = worldOf('waits');
    await using _job = await labelling();
    const { volume, claim } = await livedIn(world, 'a');
    const [bigInB] = largeInB;
    const elsewhere = await world.pod({ claims: [claim], ...inZone('b') });
    const bySelector = await world.pod({ claims: [claim], nodeSelector: { 'kubernetes.io/hostname': `${bigInB}` } });
    const here = await world.pod({ claims: [claim] });
    expect(await pendingBecause(world, elsewhere)).toContain('no available volume zone');
    expect(await pendingBecause(world, bySelector)).toContain('no available volume zone');
    expect(smallInA).toContain(await placedOn(world, here));
    const why = expect.stringContaining(`volume ${volume} is in a; the`);
    expect(await unplaceable()).toEqual([
      { pod: `default/${elsewhere}`, volumes: [volume], why },
      { pod: `default/${bySelector}`, volumes: [volume], why },
    ]);

    const { code, stdout } = await runHoldfast('status', 'topology', kubeconfig);
    expect(code).toBe(0);
    const [, pods = ''] = stdout.split('PODS THAT CANNOT BE PLACED\n');
    expect(pods).toMatch(new RegExp(`^default/${elsewhere} +${volume} +volume ${volume} is in a; .* in b$`, 'm'));
    expect(pods.trim().split('\n')).toHaveLength(3);
  });

  test('that is labelled with two zones lets its pods into both and into no third', async () => {
    const world = worldOf('both');
    await world.node({ zone: 'c', cpu: 128 });
    const volume = await world.volume({ type: 'nfs', modes: ['ReadWriteMany'] });
    const claim = await world.claim(volume);
    for (const zone of ['b', 'a']) {
      const pod = await world.pod({ claims: [claim], ...inZone(zone) });
      await placedOn(world, pod);
      await world.ready(pod);
    }
    await using _job = await labelling();
    await world.hasLabels(volume, { [ZONE]: 'a__b' });
    const pods = await Promise.all(['a', 'b', 'c'].map((zone) => world.pod({ claims: [claim], ...inZone(zone) })));
    const [inA = '', inB = '', inC = ''] = pods;
    expect(smallInA).toContain(await placedOn(world, inA));
    expect(largeInB).toContain(await placedOn(world, inB));
    expect(await pendingBecause(world, inC)).toContain('no available volume zone');
    expect((await unplaceable()).map(({ pod }) => pod)).toEqual([`default/${inC}`]);
  });
});

test('a pod of a shared volume that is replaced comes back to the zone that it had to itself', async () => {
  const world = worldOf('replaced');
  const volume = await world.volume({ type: 'nfs', modes: ['ReadWriteMany'] });
  const claim = await world.claim(volume);
  await using _job = await labelling();
  const inB = await world.pod({ claims: [claim], ...inZone('b') });
  await placedOn(world, inB);
  await world.ready(inB);
  await world.hasLabels(volume, { [ZONE]: 'b' });
  const first = await world.readyPod(smallInA[0] ?? '', claim);
  await world.hasLabels(volume, { [ZONE]: 'a__b' });
  for (let turn = 0, old = first; turn < 3; turn++) {
    await world.removePod(old);
    const next = await world.pod({ claims: [claim], ...inZone('a') });
    expect(smallInA).toContain(await placedOn(world, next));
    await world.ready(next);
    old = next;
  }
  expect(await world.labelsOf(volume)).toEqual({ [ZONE]: 'a__b' });
});

test('two volumes in different zones keep the pod that wants both waiting, and the status says so', async () => {
  const world = worldOf('apart');
  await using _job = await labelling();
  const a = await livedIn(world, 'a');
  const b = await livedIn(world, 'b');
  const pod = await world.pod({ claims: [a.claim, b.claim] });
  expect(await pendingBecause(world, pod)).toContain('no available volume zone');
  expect(await unplaceable()).toEqual([
    {
      pod: `default/${pod}`,
      volumes: [a.volume, b.volume],
      why: `no node reaches all of its volumes: volume ${a.volume} is in a; volume ${b.volume} is in b`,
    },
  ]);
});

test('a pod that waits for another reason is not laid at the door of its volume', async () => {
  const world = worldOf('other-reasons');
  await using _job = await labelling();
  const { claim } = await livedIn(world, 'a');
  const unbound = await world.claim();
  const tooLarge = await world.pod({ claims: [claim], cpu: 1000 });
  const tooPicky = await world.pod({ claims: [claim], nodeSelector: { disk: 'golden' } });
  const unclaimed = await world.pod({ claims: [unbound] });
  const missing = await world.pod({ claims: ['nobody-made-this'] });
  expect(await pendingBecause(world, tooLarge)).toContain('Insufficient cpu');
  expect(await pendingBecause(world, tooPicky)).toContain("didn't match Pod's node affinity/selector");
  expect(await pendingBecause(world, unclaimed)).toContain('unbound immediate PersistentVolumeClaims');
  expect(await pendingBecause(world, missing)).toContain('"nobody-made-this" not found');
  expect(await unplaceable()).toEqual([]);
});
