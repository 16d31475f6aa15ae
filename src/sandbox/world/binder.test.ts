import { describe, expect, test } from 'vitest';
import { CLAIMS, VOLUMES } from './resources.ts';
import { SimulatedWorld } from './simulated.ts';

const phases = (world: SimulatedWorld, volume: string, claim: string) => [
  world.theVolume(volume).status?.phase,
  world.theClaim(claim).status?.phase,
];

describe('a claim', () => {
  test('gets the smallest volume that fits, and both say so', async () => {
    const world = new SimulatedWorld();
    world.volume('large', { capacity: { storage: '10Gi' } });
    world.volume('small', { capacity: { storage: '1Gi' } });
    world.volume('middle', { capacity: { storage: '3Gi' } });
    await world.pass();
    const { metadata } = world.claim('data', { resources: { requests: { storage: '2Gi' } } });
    await world.pass();
    expect(world.theClaim('data')).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
        finalizers: ['kubernetes.io/pvc-protection'],
      },
      spec: { volumeName: 'middle' },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '3Gi' } },
    });
    expect(world.theVolume('middle')).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: 'default', uid: metadata.uid } },
      status: { phase: 'Bound' },
    });
    expect(world.theVolume('small').status?.phase).toBe('Available');
  });

  test.each([
    ['is too small', { capacity: { storage: '500Mi' } }],
    ['is of another class', { storageClassName: 'other' }],
    ['is for another mode of access', { accessModes: ['ReadOnlyMany'] }],
    ['is a raw device', { volumeMode: 'Block' }],
    ['is reserved for another', { claimRef: { namespace: 'default', name: 'other' } }],
  ])('does not get a volume that %s', async (_, spec) => {
    const world = new SimulatedWorld();
    world.volume('pv', spec);
    world.claim('data');
    await world.pass();
    expect(phases(world, 'pv', 'data')).toEqual(['Available', 'Pending']);
    expect(world.toldOf('data')).toEqual([
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ]);
  });

  test('gets only what it selects', async () => {
    const world = new SimulatedWorld();
    world.volume('slow', {}, { labels: { disk: 'slow' } });
    world.volume('fast', {}, { labels: { disk: 'fast' } });
    world.claim('data', { selector: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] } });
    await world.pass();
    expect(world.theClaim('data').spec?.volumeName).toBe('fast');
  });

  test('gets the volume that is reserved for it by name, and no other', async () => {
    const world = new SimulatedWorld();
    world.volume('a');
    world.volume('reserved', { capacity: { storage: '5Gi' }, claimRef: { namespace: 'default', name: 'data' } });
    await world.pass();
    expect(world.theVolume('reserved').status?.phase).toBe('Available');
    world.claim('data');
    await world.pass();
    expect(world.theClaim('data').spec?.volumeName).toBe('reserved');
    expect(world.theVolume('reserved').metadata.annotations).toBeUndefined();
  });

  test('does not get what is reserved for one of the same name that is gone', async () => {
    const world = new SimulatedWorld();
    world.volume('pv', { claimRef: { namespace: 'default', name: 'data', uid: 'of-another' } });
    world.claim('data');
    await world.pass();
    expect(phases(world, 'pv', 'data')).toEqual(['Released', 'Pending']);
  });

  test.each([
    ['too small', { capacity: { storage: '1Mi' } }, 'requested PV is too small'],
    ['of another class', { storageClassName: 'x' }, 'storageClassName does not match'],
    ['of another mode', { volumeMode: 'Block' }, 'incompatible volumeMode'],
    ['for other access', { accessModes: ['ReadWriteMany'] }, 'incompatible accessMode'],
  ])('that asks for a volume %s is told why it does not get it', async (_, spec, why) => {
    const world = new SimulatedWorld();
    world.volume('pv', spec);
    world.claim('data', { volumeName: 'pv' });
    await world.pass();
    expect(world.toldOf('data')).toEqual([`VolumeMismatch: Cannot bind to requested volume "pv": ${why}`]);
    expect(phases(world, 'pv', 'data')).toEqual(['Available', 'Pending']);
  });

  test('that asks for a volume waits until there is one of that name', async () => {
    const world = new SimulatedWorld();
    world.claim('data', { volumeName: 'late' });
    await world.pass();
    expect(world.theClaim('data').status?.phase).toBe('Pending');
    world.volume('late');
    await world.pass();
    expect(phases(world, 'late', 'data')).toEqual(['Bound', 'Bound']);
  });

  test('that asks for what another has is refused, and gets it when that one is gone and a person frees it', async () => {
    const world = new SimulatedWorld();
    world.volume('pv');
    world.claim('first');
    await world.pass();
    world.claim('second', { volumeName: 'pv' });
    await world.pass();
    expect(world.toldOf('second')).toEqual(['FailedBinding: volume "pv" already bound to a different claim.']);
    world.objects.remove(CLAIMS, 'default/first');
    await world.pass();
    expect(phases(world, 'pv', 'second')).toEqual(['Released', 'Pending']);
    const { claimRef: _, ...spec } = world.theVolume('pv').spec ?? {};
    world.objects.update(VOLUMES, { ...world.theVolume('pv'), spec });
    await world.pass();
    expect(phases(world, 'pv', 'second')).toEqual(['Bound', 'Bound']);
  });

  test('whose volume vanishes is lost', async () => {
    const world = new SimulatedWorld();
    world.volume('pv');
    world.claim('data');
    await world.pass();
    world.objects.remove(VOLUMES, 'pv');
    await world.pass();
    expect(world.theVolume('pv').metadata.deletionTimestamp).toBeDefined();
    const { finalizers: _, ...metadata } = world.theVolume('pv').metadata;
    world.objects.update(VOLUMES, { ...world.theVolume('pv'), metadata });
    await world.pass();
    expect(world.theClaim('data').status?.phase).toBe('Lost');
    expect(world.toldOf('data')).toContain(
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    );
  });

  test('of a class that waits for its first consumer waits, but takes what is reserved for it', async () => {
    const world = new SimulatedWorld();
    world.storageClass('wait', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer');
    world.volume('pv', { storageClassName: 'wait' });
    world.claim('data', { storageClassName: 'wait' });
    await world.pass();
    expect(phases(world, 'pv', 'data')).toEqual(['Available', 'Pending']);
    expect(world.toldOf('data')).toEqual([
      'WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ]);
    world.volume('reserved', { storageClassName: 'wait', claimRef: { namespace: 'default', name: 'data' } });
    await world.pass();
    expect(world.theClaim('data').spec?.volumeName).toBe('reserved');
  });

  test('of a class that there is not is told so', async () => {
    const world = new SimulatedWorld();
    world.claim('data', { storageClassName: 'nope' });
    await world.pass();
    expect(world.toldOf('data')).toEqual(['ProvisioningFailed: storageclass.storage.k8s.io "nope" not found']);
  });
});

describe('a volume', () => {
  test('is released when its claim is gone, and kept', async () => {
    const world = new SimulatedWorld();
    world.volume('pv');
    world.claim('data');
    await world.pass();
    world.objects.remove(CLAIMS, 'default/data');
    await world.pass(3600);
    expect(world.theVolume('pv').status?.phase).toBe('Released');
    world.claim('data');
    await world.pass();
    expect(world.theClaim('data').status?.phase).toBe('Pending');
  });

  test('that is deleted while it is free goes at once', async () => {
    const world = new SimulatedWorld();
    world.volume('pv');
    await world.pass();
    world.objects.remove(VOLUMES, 'pv');
    await world.pass();
    expect(world.objects.get(VOLUMES, 'pv')).toBeUndefined();
  });

  test('that is deleted while it is bound goes when its claim does', async () => {
    const world = new SimulatedWorld();
    world.volume('pv');
    world.claim('data');
    await world.pass();
    world.objects.remove(VOLUMES, 'pv');
    await world.pass();
    expect(phases(world, 'pv', 'data')).toEqual(['Bound', 'Bound']);
    world.objects.remove(CLAIMS, 'default/data');
    await world.pass();
    expect(world.objects.get(VOLUMES, 'pv')).toBeUndefined();
  });
});
