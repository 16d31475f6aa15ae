/** What people do with two clusters: look, drill, fail over, fail back, and check the store; and what a cluster that was deposed does when it comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHoldfastIn } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { claimsIn, SyncWorld, VOLUMES, type Volume } from './world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await SyncWorld.start();
  await world.here.startOperator();
  await world.there.startOperator();
  for (const name of ['alpha', 'beta', 'gamma']) await world.here.pair(name, 'shop');
  await world.here.sync('dr', { protectedCluster: 'prod', mode: 'Protected' });
  await world.here.says('dr', 'Exported', 'True');
});
afterAll(() => world?.[Symbol.asyncDispose]());

const pointer = async () => JSON.parse(await world.object('.holdfast/prod/pointer.json'));
const labelsOf = async (path: string) => (await world.there.admin.get<Volume>(path)).metadata.labels;

describe('before anything is restored', () => {
  test('a plan says what would be, and writes nothing', async () => {
    await world.there.sync('dr', { protectedCluster: 'prod', mode: 'Recovery', pollingInterval: 1, dryRun: true });
    const { code, stdout, stderr } = await world.there.command('plan');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/create +PersistentVolume +alpha/);
    expect(stdout).toMatch(/make +Namespace +shop/);
    expect(await world.there.volumes()).toEqual([]);
    const { stdout: json } = await world.there.command('plan', '-o', 'json');
    expect(JSON.parse(json).steps).toHaveLength(7);
    await world.there.says('dr', 'InSync', 'False', /dry run, nothing is written: 6 to create/);
  });

  test('a drill that is only tried is taken by the API server, and makes nothing', async () => {
    const { code, stdout } = await world.there.command('drill', '--dry-run');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('3 volumes and 3 claims') });
    expect(await world.there.volumes()).toEqual([]);
    expect((await world.there.look('dr')).status?.lastDrill).toBeUndefined();
  });

  test('a drill binds copies of everything, says how long it took, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await world.there.command('drill', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/a restore of 3 volumes and 3 claims of prod\/\d+_storage_objects\.json took [\d.]+ s/);
    await eventually(async () => expect(await world.there.volumes()).toEqual([]));
    expect(await world.there.claims()).toEqual([]);
    await eventually(async () => {
      const { items } = await world.there.admin.list<RawObject>('/api/v1/namespaces?labelSelector=holdfast.dev/drill');
      expect(items).toEqual([]);
    });
    await eventually(async () =>
      expect((await world.there.look('dr')).status?.lastDrill).toMatchObject({ volumes: 3, succeeded: true }),
    );
  });

  test('a failover is refused', async () => {
    const { code, stderr } = await world.there.command('failover', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('6 objects are to be written');
    expect(await pointer()).toHaveProperty('payload');
  });
});

describe('a disaster', () => {
  test('finds everything restored', async () => {
    await world.there.change('dr', { dryRun: false });
    await world.there.says('dr', 'InSync', 'True');
    for (const name of ['alpha', 'beta', 'gamma']) await world.there.isBound('shop', name, name);
    const { code, stdout } = await world.there.command('plan');
    expect(code).toBe(0);
    expect(stdout).toContain('to do       nothing to do');
    expect(stdout).toContain('in place    3 volumes and 3 claims');
  });

  test('asks before it acts', async () => {
    const { code, stderr } = await world.there.command('failover');
    expect(code).toBe(2);
    expect(stderr).toContain('add --yes if you are sure');
  });

  test('makes the recovery cluster the writer, with everything in scope', async () => {
    await world.here.killOperator();
    const { code, stdout, stderr } = await world.there.command('failover', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('epoch 2: this cluster is the writer of prod now');
    const { managedVolumeCount } = await world.there.says('dr', 'Exported', 'True');
    expect(managedVolumeCount).toBe(3);
    expect(await labelsOf(`${VOLUMES}/alpha`)).toMatchObject({ 'volumesyncs.storage.cndev.nl/sync': 'enabled' });
  });

  test('bars the cluster that comes back: it exports nothing, and says so', async () => {
    await world.here.admin.patch(`${VOLUMES}/alpha`, { metadata: { labels: { tier: 'lost' } } });
    const before = await world.keys();
    await world.here.startOperator();
    await world.here.says('dr', 'Deposed', 'True', /has taken over under epoch 2/);
    const exports = (keys: readonly string[]) => keys.filter((key) => key.startsWith('prod/'));
    expect(exports(await world.keys())).toEqual(exports(before));
  });
});

describe('the way back', () => {
  test('begins with following the cluster that took over', async () => {
    await world.there.pair('delta', 'shop');
    await world.there.admin.patch(`${VOLUMES}/beta`, { metadata: { labels: { tier: 'gold' } } });
    const { code, stdout, stderr } = await world.here.command('failback', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('dr is Recovery now');
    await world.here.change('dr', { pollingInterval: 1 });
    await world.here.says('dr', 'InSync', 'True');
    await world.here.isBound('shop', 'delta', 'delta');
    await eventually(async () =>
      expect((await world.here.admin.get<Volume>(`${VOLUMES}/beta`)).metadata.labels).toHaveProperty('tier', 'gold'),
    );
  });

  test('is held up by what cannot be changed in place, until a person has deleted it', async () => {
    const { here, there } = world;
    await there.killOperator();
    for (const path of [`${claimsIn('shop')}/gamma`, `${VOLUMES}/gamma`]) {
      await there.admin.delete(path);
      await eventually(async () => (await there.admin.request('GET', path)).status === 404);
    }
    const moved = { server: '10.1.2.3', path: '/exports/moved' };
    await there.pair('gamma', 'shop', { volume: { nfs: moved } });
    await there.startOperator();
    await here.says('dr', 'Refused', 'True', /MustBeRecreated: volume gamma has another spec.nfs here/);
    const { code, stderr } = await here.command('failback', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('are refused') });
    const { spec } = await here.admin.get<Volume>(`${VOLUMES}/gamma`);
    expect(spec).toMatchObject({ persistentVolumeReclaimPolicy: 'Retain', nfs: { path: '/exports/gamma' } });
    await here.admin.delete(`${claimsIn('shop')}/gamma`);
    await here.admin.delete(`${VOLUMES}/gamma`);
    await eventually(async () =>
      expect((await here.admin.get<Volume>(`${VOLUMES}/gamma`)).spec.nfs?.path).toBe(moved.path),
    );
    await here.isBound('shop', 'gamma', 'gamma');
    await here.says('dr', 'InSync', 'True');
  });

  test('ends with taking over again, and the other one is deposed', async () => {
    const { code, stdout, stderr } = await world.here.command('failback', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('epoch 3: this cluster is the writer of prod now');
    await world.here.says('dr', 'Exported', 'True');
    await world.there.admin.patch(`${VOLUMES}/beta`, { metadata: { labels: { tier: 'silver' } } });
    await world.there.says('dr', 'Deposed', 'True', /epoch 3/);
  });

  test('leaves a store in which all is sound', async () => {
    const { code, stdout, stderr } = await runHoldfastIn(
      world.here.environment,
      'sync',
      'verify',
      '--cluster',
      'prod',
      '--all',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\d+ sound, \d+ to note, 0 broken/);
  });

  test('finds what was tampered with', async () => {
    const [key = ''] = (await world.keys()).filter((each) => each.startsWith('prod/'));
    await world.put(key, (await world.object(key)).replace('10.1.2.3', '10.6.6.6'));
    const { code, stdout } = await runHoldfastIn(world.here.environment, 'sync', 'verify', '--cluster', 'prod');
    expect(code).toBe(1);
    expect(stdout).toContain(key);
    expect(stdout).toMatch(/[1-9]\d* broken/);
  });

  test('holdfast status sync tells how it stands on both', async () => {
    const status = (site: typeof world.here) =>
      runHoldfastIn({}, 'status', 'sync', `--kubeconfig=${site.plane.kubeconfig}`);
    expect((await status(world.here)).stdout).toMatch(/dr +Protected +prod +s3 +4 +4/);
    expect((await status(world.there)).stdout).toContain('AnotherClusterTookOver');
    expect(await world.there.refusals()).toEqual([]);
  });
});

describe('a store that is lost with the protected cluster', () => {
  test('keeps nobody from taking over who insists on it, with a higher epoch than there was', async () => {
    const { here, there } = world;
    await there.change('dr', { mode: 'Recovery', pollingInterval: 1 });
    await there.says('dr', 'InSync', 'True');
    await here.killOperator();
    for (const key of await world.keys()) await world.remove(key);
    await there.says('dr', 'WaitingForExport', 'True', /is no longer in the store/);
    const { code, stderr } = await there.command('failover', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to restore') });
    const forced = await there.command('failover', '--yes', '--force');
    expect(forced).toMatchObject({ code: 0, stderr: '' });
    const { managedVolumeCount, export: exported } = await there.says('dr', 'Exported', 'True');
    expect({ managedVolumeCount, epoch: exported?.epoch }).toEqual({ managedVolumeCount: 4, epoch: 4 });
    await here.startOperator();
    await here.says('dr', 'Deposed', 'True', /epoch 4/);
  });
});
