/** The whole way of a volume: exported by one cluster, restored by another, bound by the real binder to its own claim, and let go. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restoredByTheOriginal } from '../../../src/sync/recover/original-reader.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import { eventually } from '../../harness/wait.ts';
import { SYNCS } from './shipped.ts';
import { aClaim, aVolume, type Claim, claimsIn, SyncWorld, VOLUMES, type Volume } from './world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await SyncWorld.start();
  await world.here.startOperator();
  await world.there.startOperator();
});
afterAll(() => world?.[Symbol.asyncDispose]());

const RECOVERY = { protectedCluster: 'MyCluster', mode: 'Recovery', pollingInterval: 1 } as const;

/** As the operators see it. */
async function openedStore() {
  const store = await openStore('s3', world.there.environment);
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

const restored = (name: string) => world.there.admin.get<Volume>(`${VOLUMES}/${name}`);
const isThere = async (path: string) => (await world.there.admin.request('GET', path)).status === 200;

describe('a pair of clusters', () => {
  test('waits for the first export', async () => {
    await world.there.sync('dr', RECOVERY);
    await world.there.says('dr', 'WaitingForExport', 'True', /there is no export under mycluster\/ yet/);
  });

  test('exports what is labelled, under a name that the original reads, and nothing else is there', async () => {
    await world.here.pair('alpha', 'shop');
    await world.here.pair('beta', 'shop');
    await world.here.admin.post(VOLUMES, aVolume('private', {}, {}));
    await world.here.sync('protect', { protectedCluster: 'MyCluster', mode: 'Protected' });
    const { managedVolumes, managedClaimCount, fenced } = await world.here.says('protect', 'Exported', 'True');
    expect({ managedVolumes, managedClaimCount, fenced }).toEqual({
      managedVolumes: ['alpha', 'beta'],
      managedClaimCount: 2,
      fenced: true,
    });
    const keys = await world.keys();
    const exported = keys.filter((key) => key.startsWith('mycluster/'));
    expect(exported).toHaveLength(1);
    expect(exported[0]).toMatch(/^mycluster\/\d{10}_storage_objects\.json$/);
    const document = JSON.parse(await world.object(exported[0] ?? ''));
    expect(document.persistent_volumes.map(({ metadata }: Volume) => metadata.name)).toEqual(['alpha', 'beta']);
    expect(
      keys.filter((key) => !key.startsWith('mycluster/')).every((key) => key.startsWith('.holdfast/mycluster/')),
    ).toBe(true);
  });

  test('restores each volume with its own claim, and the binder binds them', async () => {
    await world.there.says('dr', 'InSync', 'True');
    for (const name of ['alpha', 'beta']) await world.there.isBound('shop', name, name);
    const { metadata, spec } = await restored('alpha');
    expect(spec).toMatchObject({
      persistentVolumeReclaimPolicy: 'Retain',
      nfs: { server: '10.1.2.3', path: '/exports/alpha' },
      claimRef: { namespace: 'shop', name: 'alpha' },
    });
    expect(metadata.labels).toEqual({ 'volumesyncs.storage.cndev.nl/recovery': 'dr' });
    expect(metadata).not.toHaveProperty('ownerReferences');
    expect(metadata).toMatchObject({ finalizers: ['kubernetes.io/pv-protection'] });
    expect(await isThere(`${VOLUMES}/private`)).toBe(false);
  });

  test('exports what the original would restore as the same objects, which a real API server takes from it', async () => {
    await using store = await openedStore();
    const original = await restoredByTheOriginal(store.store, 'mycluster', 'dr', new AbortController().signal);
    expect(original.namespaces).toEqual(['shop']);
    expect(original.volumes.map(({ metadata }) => metadata.name)).toEqual(['alpha', 'beta']);
    expect(original.claims.map(({ metadata }) => metadata.name)).toEqual(['alpha', 'beta']);
    for (const object of [...original.volumes, ...original.claims]) {
      const { name, namespace, labels } = object.metadata;
      const path = `${namespace === undefined ? VOLUMES : claimsIn(namespace)}/${name}`;
      const ours = await world.there.admin.get<Volume>(path);
      expect(ours, path).toMatchObject({ metadata: { labels }, spec: object.spec ?? {} });
      await world.there.admin.patch(`${path}?fieldManager=original&force=true&dryRun=All`, object, 'apply');
    }
  });

  test('writes once for each object, and nothing when nothing is new', async () => {
    await world.there.runsAgain('dr');
    const writes = await world.there.writes();
    expect(writes.toSorted()).toEqual([
      'create namespaces/shop',
      'create persistentvolumeclaims/alpha',
      'create persistentvolumeclaims/beta',
      'create persistentvolumes/alpha',
      'create persistentvolumes/beta',
    ]);
  });

  test('carries a change of a label, a new volume, and a claim alone', async () => {
    await world.here.admin.patch(`${VOLUMES}/alpha`, { metadata: { labels: { tier: 'gold' } } });
    await world.here.pair('gamma', 'bank');
    await world.here.admin.post(claimsIn('shop'), aClaim('lonely', { storageClassName: 'nowhere' }));
    await eventually(async () => expect((await restored('alpha')).metadata.labels).toHaveProperty('tier', 'gold'), {
      timeout: 60_000,
    });
    await world.there.isBound('bank', 'gamma', 'gamma');
    await eventually(() => isThere(`${claimsIn('shop')}/lonely`), { timeout: 60_000 });
    const { spec } = await world.there.admin.get<Claim>(`${claimsIn('shop')}/lonely`);
    expect(spec).toMatchObject({ storageClassName: 'nowhere' });
    expect(spec).not.toHaveProperty('volumeName');
  });

  test('leaves a claim of the same name alone that somebody else has, and does not give it the volume', async () => {
    await world.there.namespace('clinic');
    await world.there.admin.post(claimsIn('clinic'), aClaim('delta', {}, { team: 'other' }));
    const before = await world.there.admin.get(`${claimsIn('clinic')}/delta`);
    await world.here.pair('delta', 'clinic');
    await world.there.says('dr', 'Refused', 'True', /ClaimIsAnothers/);
    expect(await isThere(`${VOLUMES}/delta`)).toBe(false);
    expect(await world.there.admin.get(`${claimsIn('clinic')}/delta`)).toEqual(before);
    await world.there.admin.delete(`${claimsIn('clinic')}/delta`);
    await world.there.says('dr', 'InSync', 'True');
    await world.there.isBound('clinic', 'delta', 'delta');
  });

  test('removes what was deleted on the protected side', async () => {
    await world.here.admin.delete(`${claimsIn('bank')}/gamma`);
    await world.here.admin.delete(`${VOLUMES}/gamma`);
    await eventually(async () => !(await isThere(`${VOLUMES}/gamma`)), { timeout: 60_000 });
    expect(await isThere(`${claimsIn('bank')}/gamma`)).toBe(false);
  });

  test('puts back what somebody has deleted or changed on the recovery side', async () => {
    const paths = [`${claimsIn('clinic')}/delta`, `${VOLUMES}/delta`];
    const uids = () => Promise.all(paths.map(async (path) => (await world.there.admin.get(path)).metadata.uid));
    const before = await uids();
    for (const path of paths) await world.there.admin.delete(path);
    await eventually(async () => (await uids()).every((uid) => !before.includes(uid)), { timeout: 60_000 });
    await world.there.isBound('clinic', 'delta', 'delta');
    await world.there.admin.patch(`${VOLUMES}/alpha`, { metadata: { labels: { tier: 'lead' } } });
    await eventually(async () => expect((await restored('alpha')).metadata.labels).toHaveProperty('tier', 'gold'), {
      timeout: 60_000,
    });
  });

  test('lets go of everything, and deletes nothing, when the resource is deleted', async () => {
    await world.there.admin.delete(`${SYNCS}/dr`);
    await eventually(async () => !(await isThere(`${SYNCS}/dr`)), { timeout: 60_000 });
    const { metadata } = await restored('alpha');
    expect(metadata.labels).toEqual({ tier: 'gold' });
    await world.there.isBound('shop', 'alpha', 'alpha');
  });

  test('was refused nothing that it asked for', async () => {
    expect(await world.here.refusals()).toEqual([]);
    expect(await world.there.refusals()).toEqual([]);
  });
});
