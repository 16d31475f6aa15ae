import { describe, expect, test } from 'vitest';
import { CLAIMS, PODS, SETS, type Set as StatefulSet } from './resources.ts';
import { SimulatedWorld } from './simulated.ts';

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
});

function aSet(spec: StatefulSet['spec'] = {}): StatefulSet {
  return {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: template('one'),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'made',
            resources: { requests: { storage: '1Gi' } },
          } as object,
        },
      ],
      ...spec,
    },
  };
}

async function world(spec: StatefulSet['spec'] = {}): Promise<SimulatedWorld> {
  const made = new SimulatedWorld();
  made.node('n1');
  made.storageClass('made', 'disks.sandbox.holdfast.dev');
  made.objects.create(SETS, aSet(spec));
  return made;
}

const names = (it: SimulatedWorld) => it.objects.list(PODS).map(({ metadata }) => metadata.name);
const claims = (it: SimulatedWorld) => it.objects.list(CLAIMS).map(({ metadata }) => metadata.name);
const images = (it: SimulatedWorld) => it.objects.list(PODS).map(({ spec }) => spec?.containers?.[0]?.image);
const theSet = (it: SimulatedWorld) => it.objects.get(SETS, 'default/web') ?? aSet();

function change(it: SimulatedWorld, spec: StatefulSet['spec']): void {
  it.objects.update(SETS, { ...theSet(it), spec: { ...theSet(it).spec, ...spec } });
}

describe('a stateful set', () => {
  test('is brought up to a new template wherever its ordinals start, and says so', async () => {
    const it = await world({ replicas: 2, ordinals: { start: 5 } });
    await it.pass(60);
    change(it, { template: template('two') });
    await it.pass(120);
    expect(names(it)).toEqual(['web-5', 'web-6']);
    expect(images(it)).toEqual(['two', 'two']);
    const { currentRevision, updateRevision, currentReplicas } = theSet(it).status ?? {};
    expect({ currentRevision, currentReplicas }).toEqual({ currentRevision: updateRevision, currentReplicas: 2 });
  });

  test('leaves no template behind, however often it is changed and made anew', async () => {
    const it = await world({ replicas: 1 });
    for (let round = 0; round < 5; round++) {
      await it.pass(60);
      change(it, { template: template(`image-${round}`) });
      await it.pass(60);
      it.objects.remove(SETS, 'default/web');
      await it.pass(60);
      expect(it.world.remembered).toBe(0);
      it.objects.create(SETS, aSet({ replicas: 1 }));
    }
  });

  test('adopts the pods that one of the same name has left, and makes none anew', async () => {
    const it = await world();
    await it.pass(60);
    const uids = it.objects.list(PODS).map(({ metadata }) => metadata.uid);
    it.objects.remove(SETS, 'default/web', { propagationPolicy: 'Orphan' });
    await it.pass(10);
    it.objects.create(SETS, aSet());
    await it.pass(60);
    const { uid } = theSet(it).metadata;
    expect(it.objects.list(PODS).map(({ metadata }) => metadata.uid)).toEqual(uids);
    for (const name of names(it)) expect(it.thePod(name ?? '').metadata.ownerReferences).toMatchObject([{ uid }]);
  });

  test('makes its pods one after another, each with its claim', async () => {
    const it = await world();
    await it.pass(1);
    expect(names(it)).toEqual(['web-0']);
    await it.pass(60);
    expect(names(it)).toEqual(['web-0', 'web-1', 'web-2']);
    expect(claims(it)).toEqual(['data-web-0', 'data-web-1', 'data-web-2']);
    expect(it.thePod('web-1').metadata).toMatchObject({
      labels: { app: 'web', 'apps.kubernetes.io/pod-index': '1', 'statefulset.kubernetes.io/pod-name': 'web-1' },
      ownerReferences: [{ kind: 'StatefulSet', name: 'web', controller: true, blockOwnerDeletion: true }],
    });
    expect(theSet(it).status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
      collisionCount: 0,
    });
  });

  test('makes all of them at once where it is told to', async () => {
    const it = await world({ podManagementPolicy: 'Parallel' });
    await it.pass(1);
    expect(names(it)).toEqual(['web-0', 'web-1', 'web-2']);
  });

  test('gives back the highest first, and keeps the claims', async () => {
    const it = await world();
    await it.pass(60);
    change(it, { replicas: 1 });
    await it.pass(0.5);
    expect(it.thePod('web-1').metadata.deletionTimestamp).toBeUndefined();
    await it.pass(60);
    expect(names(it)).toEqual(['web-0']);
    expect(claims(it)).toHaveLength(3);
  });

  test('lets claims go with what is scaled away where it is told to', async () => {
    const it = await world({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } });
    await it.pass(60);
    change(it, { replicas: 1 });
    await it.pass(60);
    expect(claims(it)).toEqual(['data-web-0']);
    it.objects.remove(SETS, 'default/web', { propagationPolicy: 'Background' });
    await it.pass(60);
    expect([names(it), claims(it)]).toEqual([[], ['data-web-0']]);
  });

  test('lets claims go with itself where it is told to', async () => {
    const it = await world({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' } });
    await it.pass(60);
    it.objects.remove(SETS, 'default/web', { propagationPolicy: 'Background' });
    await it.pass(60);
    expect([names(it), claims(it)]).toEqual([[], []]);
  });

  test('brings pods up to date from the highest on, down to the partition', async () => {
    const it = await world({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } });
    await it.pass(60);
    change(it, { template: template('two') });
    await it.pass(60);
    expect(images(it)).toEqual(['one', 'two', 'two']);
    it.objects.remove(PODS, 'default/web-0');
    await it.pass(60);
    expect(images(it)).toEqual(['one', 'two', 'two']);
    change(it, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } });
    await it.pass(60);
    expect(images(it)).toEqual(['two', 'two', 'two']);
    expect(theSet(it).status?.currentRevision).toBe(theSet(it).status?.updateRevision);
  });

  test('stops an update at a pod that does not get ready', async () => {
    const it = await world();
    await it.pass(60);
    it.world.kubelets.brokenImages.add('broken');
    change(it, { template: template('broken') });
    await it.pass(600);
    expect(images(it)).toEqual(['one', 'one', 'broken']);
  });

  test('makes no pod on a claim that is going, and both anew when that is gone', async () => {
    const it = await world();
    await it.pass(60);
    const uidOf = () => it.objects.get(CLAIMS, 'default/data-web-1')?.metadata.uid;
    const before = uidOf();
    it.objects.remove(CLAIMS, 'default/data-web-1');
    it.objects.remove(PODS, 'default/web-1');
    await it.pass(60);
    expect(uidOf()).not.toBe(before);
    expect(theSet(it).status?.readyReplicas).toBe(3);
  });

  test('replaces a pod that is gone, with the same claim', async () => {
    const it = await world();
    await it.pass(60);
    const before = it.theClaim('data-web-1').metadata.uid;
    it.objects.remove(PODS, 'default/web-1');
    await it.pass(60);
    expect(it.thePod('web-1').status?.phase).toBe('Running');
    expect(it.theClaim('data-web-1').metadata.uid).toBe(before);
  });
});
