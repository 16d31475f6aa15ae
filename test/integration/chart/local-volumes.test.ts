/** Pools of volumes as the chart declares them: what a real API server keeps of each is what the lvm job takes for declared. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../../../src/api/persistent-volumes.ts';
import { DEFAULT_MOUNT_BASE, NODE_ID_LABEL } from '../../../src/lvm/contract.ts';
import { type Declaration, declarationOf } from '../../../src/lvm/declared.ts';
import { volumeOf } from '../../../src/lvm/volume.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { VOLUMES } from '../agents.ts';
import { CHART, helm, LOCAL_VOLUMES, type Rendered, rendered, type Values } from './helm.ts';

const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane?.[Symbol.asyncDispose]());

async function run(args: readonly string[], values?: Values): Promise<void> {
  const { code, stderr } = await helm([...args, '--kubeconfig', plane.kubeconfig], values);
  if (code !== 0) throw new Error(stderr);
}
const install = (release: string, values: Values) => run(['install', release, LOCAL_VOLUMES, '-f', '-'], values);
const upgrade = (release: string, values: Values) => run(['upgrade', release, LOCAL_VOLUMES, '-f', '-'], values);
const uninstall = (release: string) => run(['uninstall', release]);

const stored = (name: string): Promise<PersistentVolume> => plane.admin.get(`${VOLUMES}/${name}`);
const isThere = async (path: string): Promise<boolean> => (await plane.admin.request('GET', path)).status === 200;

const settings = { namespace: 'holdfast', secretNamespaces: ['keys'], mountBase: DEFAULT_MOUNT_BASE };

/** As an agent without defaults of its own reads it. */
function declared(object: PersistentVolume): Declaration & { readonly home: unknown } {
  const volume = volumeOf(object);
  if (!volume) throw new Error(`${object.metadata.name} is no local volume`);
  return { home: volume.home, ...declarationOf(volume, { defaults: {}, settings }) };
}

const asVolume = (object: Rendered): PersistentVolume => object as unknown as PersistentVolume;

const POOL = {
  storageClass: 'elasticsearch',
  nodes: ['node04', 'node05'],
  options: { vg: 'fast', autoRelease: true, mountOpts: 'noexec' },
  applications: [
    {
      name: 'elasticsearch',
      options: { fsType: 'xfs' },
      volumes: [
        { name: 'data', size: '30Gi' },
        { name: 'logs', size: 5368709120, options: { fsType: 'ext4', autoRelease: false, mountOpts: '' } },
      ],
    },
    {
      name: 'kibana',
      nodes: ['node06'],
      volumes: [
        { name: 'state', size: '1.5G', options: { cryptSecret: 'keys/kibana', shred: 'zero', removePolicy: 'trash' } },
        { name: 'thin', nodes: ['node05'], size: '100M', options: { thinPool: 'pool', thinPoolSize: '20Gi' } },
      ],
    },
  ],
};

test('each volume that the chart renders is what the lvm job takes as declared, also in the form that the server keeps', async () => {
  const objects = (await rendered({ pools: [POOL] }, { chart: LOCAL_VOLUMES, name: 'pools' })).filter(
    ({ kind }) => kind === 'PersistentVolume',
  );
  expect(objects.map(({ metadata }) => metadata.name)).toEqual([
    'elasticsearch-data-node04',
    'elasticsearch-data-node05',
    'elasticsearch-logs-node04',
    'elasticsearch-logs-node05',
    'kibana-state-node06',
    'kibana-thin-node05',
  ]);
  await install('pools', { pools: [POOL] });
  for (const object of objects) {
    const kept = await stored(object.metadata.name);
    const asKept = declared(kept);
    const asRendered = declared(asVolume(object));
    expect(asKept).toMatchObject({ ok: true, warnings: [] });
    const uid = kept.metadata.uid;
    expect(asKept).toEqual({ ...asRendered, declared: { ...Object(asRendered).declared, uid } });
  }
});

describe('a volume of a pool', () => {
  const declaredBy = async (name: string) => {
    const objects = await rendered({ pools: [POOL] }, { chart: LOCAL_VOLUMES });
    const found = objects.find(({ kind, metadata }) => kind === 'PersistentVolume' && metadata.name === name);
    if (!found) throw new Error(`there is no volume ${name}`);
    return declared(asVolume(found));
  };

  test('has the size, the place and the options that are said of it, of its application and of its pool', async () => {
    expect(await declaredBy('elasticsearch-data-node05')).toMatchObject({
      home: { label: NODE_ID_LABEL, value: 'node05' },
      declared: {
        path: '/mnt/pv/elasticsearch-data-node05',
        bytes: 30n * 2n ** 30n,
        inForce: { fsType: 'xfs', vg: 'fast', autoRelease: 'true', mountOpts: 'noexec' },
      },
    });
  });

  test('has its own option where both are said, also one that is off or empty', async () => {
    expect(await declaredBy('elasticsearch-logs-node04')).toMatchObject({
      declared: { bytes: 5n * 2n ** 30n, inForce: { fsType: 'ext4', vg: 'fast', autoRelease: 'false', mountOpts: '' } },
    });
  });

  test('has a size that was given as a number with all its digits', async () => {
    const objects = await rendered({ pools: [POOL] }, { chart: LOCAL_VOLUMES });
    const sizes = objects.flatMap(({ kind, spec }) =>
      kind === 'PersistentVolume' ? [Object(spec).capacity.storage] : [],
    );
    expect(sizes).toEqual(['30Gi', '30Gi', '5368709120', '5368709120', '1.5G', '100M']);
  });

  test('may be encrypted, thin, shredded and kept', async () => {
    expect(await declaredBy('kibana-state-node06')).toMatchObject({
      declared: {
        bytes: 1_500_000_000n,
        options: { crypt: { namespace: 'keys', name: 'kibana' } },
        inForce: { shred: 'zero', removePolicy: 'trash' },
      },
    });
    expect(await declaredBy('kibana-thin-node05')).toMatchObject({
      declared: { inForce: { thinPool: 'pool', thinPoolSize: '20Gi' } },
    });
  });
});

describe('on a real API server', () => {
  const original = { storageClass: 'mysql-data', size: '2Gi', fs: 'ext4', opts: '-m 1', nodes: ['node04', 'node05'] };

  test('the values of the original’s chart make the volumes that it makes', async () => {
    await install('mysql', original);
    expect(await plane.admin.get(`${CLASSES}/mysql-data`)).toMatchObject({
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    for (const node of original.nodes) {
      const volume = await stored(`mysql-data-${node}`);
      expect(volume.spec).toMatchObject({ storageClassName: 'mysql-data', persistentVolumeReclaimPolicy: 'Retain' });
      expect(declared(volume)).toMatchObject({
        ok: true,
        home: { label: NODE_ID_LABEL, value: node },
        declared: {
          path: `/mnt/pv/mysql-data-${node}`,
          bytes: 2n * 2n ** 30n,
          inForce: { fsType: 'ext4', fsOpts: '-m 1', mountOpts: 'noexec', vg: 'storage_bulk' },
        },
      });
    }
  });

  test('more size makes a volume grow, and what the agent has written on it stays', async () => {
    await install('grows', { ...original, storageClass: 'grows' });
    const path = `${VOLUMES}/grows-node04`;
    const { metadata } = await stored('grows-node04');
    const annotations = { 'local-pv.k8s.portavita.net/status': 'Processed', 'holdfast.dev/logical-volume': 'uuid' };
    await plane.admin.patch(path, { metadata: { annotations, finalizers: ['holdfast.dev/lvm'] } });
    await upgrade('grows', { ...original, storageClass: 'grows', size: '3Gi' });
    const grown = await stored('grows-node04');
    expect(grown.metadata).toMatchObject({ uid: metadata.uid, annotations, finalizers: ['holdfast.dev/lvm'] });
    expect(declared(grown)).toMatchObject({ ok: true, declared: { bytes: 3n * 2n ** 30n, wasProcessed: true } });
  });

  test('volumes stay when they are taken out of the values, and when their release is uninstalled', async () => {
    await install('stays', { ...original, storageClass: 'stays' });
    await upgrade('stays', { ...original, storageClass: 'stays', nodes: ['node05'] });
    await uninstall('stays');
    expect(await isThere(`${CLASSES}/stays`)).toBe(false);
    for (const node of original.nodes)
      expect(await stored(`stays-${node}`)).not.toHaveProperty('metadata.deletionTimestamp');
    await install('stays', { ...original, storageClass: 'stays' });
  });

  test('unless it is said that they go', async () => {
    await install('goes', { ...original, storageClass: 'goes', keep: false });
    await uninstall('goes');
    for (const node of original.nodes)
      expect(await stored(`goes-${node}`)).toHaveProperty('metadata.deletionTimestamp');
  });

  test('a class that is there already is used', async () => {
    await plane.admin.post(CLASSES, { metadata: { name: 'theirs' }, provisioner: 'kubernetes.io/no-provisioner' });
    const applications = [{ name: 'theirs', volumes: [{ name: 'data', size: '1Gi' }] }];
    await install('theirs', {
      pools: [{ storageClass: 'theirs', createStorageClass: false, nodes: ['n'], applications }],
    });
    expect((await stored('theirs-data-n')).spec).toMatchObject({ storageClassName: 'theirs' });
  });
});

describe('what is wrong is told before anything is sent', () => {
  const volume = { name: 'data', size: '1Gi' };
  const application = { name: 'web', volumes: [volume] };
  const pool = { storageClass: 'web', nodes: ['node04'], applications: [application] };
  const with_ = (more: Values) => ({ pools: [{ ...pool, ...more }] });
  const ofVolume = (more: Values) => with_({ applications: [{ ...application, volumes: [{ ...volume, ...more }] }] });

  test.each<[string, Values, string | RegExp]>([
    [
      'a node whose id cannot stand in a name',
      with_({ nodes: ['Rack_1'] }),
      'the id of a node, which stands in the names of its volumes, "Rack_1" is not a name in Kubernetes',
    ],
    ['no node', with_({ nodes: [] }), 'the volume data of web is on no node: name some in nodes'],
    ['no node, in the original’s layout', { storageClass: 'web' }, 'the storageClass web is on no node'],
    ['a class', with_({ storageClass: 'Web' }), 'the storageClass "Web" is not a name in Kubernetes'],
    [
      'a class, in the original’s layout',
      { storageClass: 'Web', nodes: ['a'] },
      'the volume "Web-a" is not a name in Kubernetes',
    ],
    [
      'an application',
      with_({ applications: [{ ...application, name: 'a/b' }] }),
      'the name of an application "a/b" is not',
    ],
    ['a volume', ofVolume({ name: '-data' }), 'the name of a volume of web "-data" is not a name in Kubernetes'],
    ['a long name', ofVolume({ name: 'd'.repeat(64) }), 'has 64 characters, and the value of a label has 63 at most'],
    [
      'a name that is too long for LVM',
      ofVolume({ name: `${'d-'.repeat(30)}d`, options: { vg: 'g'.repeat(30) } }),
      /has 13\d characters in the device mapper, and 122 is the most/,
    ],
    [
      'a name that LVM keeps',
      with_({ applications: [{ ...application, name: 'snapshots' }] }),
      'LVM keeps names that begin with pvmove or snapshot for itself',
    ],
    [
      'the same name twice',
      with_({
        applications: [
          { name: 'a-b', volumes: [{ name: 'c', size: 1 }] },
          { name: 'a', volumes: [{ name: 'b-c', size: 1 }] },
        ],
      }),
      'two volumes would have the name a-b-c-node04',
    ],
    ['the same node twice', with_({ nodes: ['a', 'a'] }), 'two volumes would have the name web-data-a'],
    [
      'the same class twice',
      { pools: [pool, { ...pool, applications: [] }] },
      'two pools would make the StorageClass web',
    ],
    ['no size', ofVolume({ size: '0Gi' }), /volumes\/0\/size'.*'0Gi' does not match/s],
    ['a size', ofVolume({ size: '1GB' }), /'1GB' does not match/],
    ['an option', ofVolume({ options: { fstype: 'xfs' } }), "additional properties 'fstype' not allowed"],
    ['a filesystem', ofVolume({ options: { fsType: 'zfs' } }), "'ext2', 'ext3', 'ext4', 'xfs', 'btrfs'"],
    ['a directory', { ...with_({}), mountBase: 'mnt/pv' }, /'\/mountBase'.*does not match/],
  ])('%s', async (_, values, sentence) => {
    const { code, stderr } = await helm(['template', 'web', LOCAL_VOLUMES, '-f', '-'], values);
    expect(stderr).toMatch(sentence);
    expect(code).not.toBe(0);
    const within = await helm(['template', 'web', CHART, '-f', '-'], { localVolumes: { enabled: true, ...values } });
    expect(within.stderr).toMatch(sentence);
  });
});
