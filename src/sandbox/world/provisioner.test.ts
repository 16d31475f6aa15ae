import { expect, test } from 'vitest';
import { CLAIMS, VOLUMES } from './resources.ts';
import { SimulatedWorld } from './simulated.ts';

const PROVISIONER = 'disks.sandbox.holdfast.dev';

async function provisioned(more: object = {}): Promise<SimulatedWorld> {
  const world = new SimulatedWorld();
  world.storageClass('made', PROVISIONER, 'Immediate', more);
  world.claim('data', { storageClassName: 'made' });
  await world.pass();
  return world;
}

test('a claim gets a volume that was made for it, which goes with it', async () => {
  const world = await provisioned();
  const { metadata, spec, status } = world.theClaim('data');
  expect(status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } });
  expect(spec?.volumeName).toBe(`pvc-${metadata.uid}`);
  world.objects.remove(CLAIMS, 'default/data');
  await world.pass();
  expect(world.objects.list(VOLUMES)).toEqual([]);
});

test('a volume that is to be kept is only released', async () => {
  const world = await provisioned({ reclaimPolicy: 'Retain' });
  world.objects.remove(CLAIMS, 'default/data');
  await world.pass();
  expect(world.objects.list(VOLUMES).map(({ status }) => status?.phase)).toEqual(['Released']);
});

test('a provisioner that is not there is waited for', async () => {
  const world = new SimulatedWorld();
  world.storageClass('far', 'csi.example.com');
  world.claim('data', { storageClassName: 'far' });
  await world.pass();
  expect(world.theClaim('data').metadata.annotations?.['volume.kubernetes.io/storage-provisioner']).toBe(
    'csi.example.com',
  );
  expect(world.toldOf('data')[0]).toMatch(/^ExternalProvisioning: Waiting for a volume .* 'csi\.example\.com'/);
});

test('a claim that asks for more gets it where its class lets it', async () => {
  const world = await provisioned({ allowVolumeExpansion: true });
  const claim = world.theClaim('data');
  world.objects.update(CLAIMS, { ...claim, spec: { ...claim.spec, resources: { requests: { storage: '5Gi' } } } });
  await world.pass();
  expect(world.theClaim('data').status?.capacity).toEqual({ storage: '5Gi' });
  expect(world.theVolume(claim.spec?.volumeName ?? '').spec?.capacity).toEqual({ storage: '5Gi' });
});
