/** The whole story of a disk: found, made a volume, claimed, released, wiped, and a volume again. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../../harness/wait.ts';
import { aLoopDevice } from '../loop-device.ts';
import { DevicesCluster, fill, hashOf, isZero, MIB, NodeWorld, run } from './world.ts';

let cluster: DevicesCluster;
let plane: ControlPlane;
beforeAll(async () => {
  cluster = await DevicesCluster.start({ audit: true });
  plane = cluster.plane;
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const worldOf = (node: string) => NodeWorld.create(cluster, node);

const PREFIX = 'local-pv-provisioner.cybozu.io';

test('a device becomes a volume as the original makes it', async () => {
  await using world = await worldOf('contract');
  const disk = await world.disk('pci-0000:00:1f.2-ata-1', 16 * MIB);
  await fill(disk.path, 16 * MIB);
  await world.configure(world.configOf({ volumeMode: 'Filesystem', fsType: 'ext4' }));
  await world.agent();
  const { metadata, spec } = await world.becomes('pci-0000:00:1f.2-ata-1', 'Available');
  const node = await plane.admin.get('/api/v1/nodes/contract');
  expect(metadata).toMatchObject({
    name: 'local-contract-pci-0000-00-1f.2-ata-1',
    labels: { 'local-pv-provisioner.cybozu.com/node': 'contract', [`${PREFIX}/node`]: 'contract' },
    annotations: {
      [`${PREFIX}/storageClassName`]: 'class-contract',
      [`${PREFIX}/volumeMode`]: 'Filesystem',
      [`${PREFIX}/fsType`]: 'ext4',
      [`${PREFIX}/deviceDir`]: world.devices,
      [`${PREFIX}/deviceNameFilter`]: '.*',
    },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'contract', uid: node.metadata.uid, controller: true }],
  });
  expect(spec).toMatchObject({
    capacity: { storage: '16Mi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: 'class-contract',
    volumeMode: 'Filesystem',
    local: { path: world.pathOf('pci-0000:00:1f.2-ata-1'), fsType: 'ext4' },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['contract'] }] },
        ],
      },
    },
  });
  expect(JSON.parse(metadata.annotations?.['holdfast.dev/wiped'] ?? '')).toMatchObject({
    method: 'zero-head',
    bytes: 16 * MIB,
    verified: 'sample',
  });
  expect(await isZero(disk.path, 0, 16 * MIB)).toBe(true);
});

test('a claim is deleted, the device is wiped, and a fresh volume takes the place of the old one', async () => {
  await using world = await worldOf('recycle');
  const disk = await world.disk('disk', 16 * MIB);
  await world.configure();
  const agent = await world.agent();
  const first = await world.becomes('disk', 'Available');
  const claim = await world.claim('disk');
  await fill(disk.path, 16 * MIB);
  await world.settled(agent);
  expect(await isZero(disk.path, 0, MIB)).toBe(false);

  await world.unclaim(claim);
  const second = await world.becomes('disk', 'Available', first);
  expect(await isZero(disk.path, 0, 16 * MIB)).toBe(true);
  expect(second.metadata.finalizers).not.toContain('holdfast.dev/wipe');
  expect(second.spec.claimRef).toBeUndefined();
  const name = first.metadata.name;
  await world.told('PersistentVolume', name, 'DeviceWipeStarted');
  await world.told('PersistentVolume', name, 'DeviceWiped');
  expect(await agent.metric('holdfast_devices_wiped_bytes_total')).toBe(2 * 16 * MIB);
  expect(await agent.metric('local_pv_provisioner_available_devices', /node="recycle"/)).toBe(1);
  expect(await agent.metric('local_pv_provisioner_error_devices', /node="recycle"/)).toBe(0);
  expect(await agent.metric('holdfast_devices', /state="available"/)).toBe(1);

  const writes = (await plane.auditLog()).filter(
    ({ verb, objectRef, userAgent }) =>
      objectRef?.name === name && ['create', 'patch', 'delete'].includes(verb) && userAgent?.startsWith('holdfast'),
  );
  expect(writes.map(({ verb }) => verb)).toEqual(['create', 'patch', 'delete', 'patch', 'create']);
});

describe.concurrent('a volume with a filesystem is wiped whatever is on it:', () => {
  test.each([
    ['ext4', 16],
    ['xfs', 320],
    ['btrfs', 128],
  ])('%s', async (fsType, mib) => {
    await using world = await worldOf(fsType);
    const disk = await world.disk('disk', mib * MIB);
    await world.configure(world.configOf({ volumeMode: 'Filesystem', fsType }));
    await world.agent();
    const first = await world.becomes('disk', 'Available');
    const claim = await world.claim('disk');
    const mountPoint = join(world.directory, 'mnt');
    await mkdir(mountPoint);
    await eventually(() => run(`mkfs.${fsType}`, disk.path), { for: 'the agent to let go of it, as a kubelet waits' });
    await run('mount', disk.path, mountPoint);
    await using unmount = new AsyncDisposableStack();
    unmount.defer(async () => void (await run('umount', mountPoint)));
    await world.unclaim(claim);
    await world.told('PersistentVolume', first.metadata.name, 'DeviceIsMounted');
    expect((await world.volume('disk')).metadata.uid).toBe(first.metadata.uid);
    expect((await run('findmnt', '--noheadings', '--output=FSTYPE', mountPoint)).stdout.trim()).toBe(fsType);
    expect((await world.volume('disk')).metadata.annotations?.['holdfast.dev/device-trouble']).toContain(mountPoint);

    await unmount.disposeAsync();
    await world.becomes('disk', 'Available', first);
    const { stdout } = await run('lsblk', '--noheadings', '--output=FSTYPE', disk.path);
    expect(stdout.trim()).toBe('');
  });
});

test('a volume of the original is taken over as it is, and recycled when its owner has left', async () => {
  await using world = await worldOf('original');
  const disk = await world.disk('disk', 16 * MIB);
  await run('mkfs.ext4', '-q', disk.path);
  await world.create({
    metadata: { name: world.volumeOf('disk'), labels: { 'local-pv-provisioner.cybozu.com/node': world.node } },
    spec: {
      capacity: { storage: '16Mi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: world.storageClass,
      volumeMode: 'Filesystem',
      local: { path: world.pathOf('disk'), fsType: 'ext4' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [world.node] }] },
          ],
        },
      },
    },
  });
  const claim = await world.claim('disk');
  const before = await hashOf(disk.path);
  await world.configure(world.configOf({ volumeMode: 'Filesystem', fsType: 'ext4' }));
  await world.agent();
  const taken = await eventually(async () => {
    const { metadata } = await world.volume('disk');
    expect(metadata.labels).toHaveProperty([`${PREFIX}/node`], world.node);
    expect(metadata.annotations).toHaveProperty(['holdfast.dev/device']);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: world.node }]);
    return await world.volume('disk');
  });
  expect(await hashOf(disk.path)).toBe(before);
  await world.unclaim(claim);
  await world.becomes('disk', 'Available', taken);
  expect(await isZero(disk.path, 0, 16 * MIB)).toBe(true);
});

test('a partition is wiped, and its neighbour is not touched', async () => {
  await using world = await worldOf('partition');
  const disk = world.undo.use(await aLoopDevice(64 * MIB));
  await fill(disk.path, 64 * MIB);
  for (const [index, start] of [
    ['1', '2048'],
    ['2', '34816'],
  ] as const) {
    await run('addpart', disk.path, index, start, '32768');
    disk.undo.defer(async () => void (await run('delpart', disk.path, index)));
  }
  const before = await hashOf(`${disk.path}p2`);
  await world.link('disk-part1', `${disk.path}p1`);
  await world.configure();
  await world.agent();
  await world.becomes('disk-part1', 'Available');
  expect(await isZero(`${disk.path}p1`, 0, 16 * MIB)).toBe(true);
  expect(await hashOf(`${disk.path}p2`)).toBe(before);
});

test('names of every odd kind become names of volumes, and those that come to the same one become none', async () => {
  await using world = await worldOf('odd');
  const names = ['usb-Vendor_Disk-0:0', 'Ümläut disk', 'a+b=c,d', `'quote"d`, '$(reboot)x', 'new\nline', '-lead'];
  for (const name of names) await world.disk(name, MIB);
  for (const name of ['twin_1', 'twin-1']) await world.disk(name, MIB);
  await world.disk('ends!', MIB);
  await world.configure();
  await world.agent();
  for (const name of names) await world.becomes(name, 'Available');
  await world.told('Node', world.node, 'DeviceNameIsShared');
  await world.told('Node', world.node, 'DeviceNameIsImpossible');
  expect(await world.find('twin_1')).toBeUndefined();
});

test('a disk that is plugged in becomes a volume at once, and one that is pulled out is told and kept', async () => {
  await using world = await worldOf('hotplug');
  await world.configure();
  const agent = await world.agent('--polling-interval=24h');
  await world.settled(agent);
  const disk = await world.disk('late', 16 * MIB);
  const volume = await world.becomes('late', 'Available');
  await world.unlink('late');
  await world.told('PersistentVolume', volume.metadata.name, 'DeviceIsMissing');
  await eventually(async () => {
    const now = await world.volume('late');
    expect(now.metadata.uid).toBe(volume.metadata.uid);
    expect(now.metadata.annotations?.['holdfast.dev/device-trouble']).toContain(world.pathOf('late'));
  });
  await world.link('late', disk.path);
  await eventually(async () => {
    expect((await world.volume('late')).metadata.annotations).not.toHaveProperty('holdfast.dev/device-trouble');
  });
});

test('what somebody changes about a volume is put right, and what is not ours is kept', async () => {
  await using world = await worldOf('mend');
  await world.disk('disk', 16 * MIB);
  await world.configure();
  await world.agent();
  const { metadata } = await world.becomes('disk', 'Available');
  await world.patch('disk', {
    metadata: {
      labels: { [`${PREFIX}/node`]: null, theirs: 'yes' },
      annotations: { [`${PREFIX}/deviceDir`]: null, theirs: 'yes' },
      ownerReferences: null,
    },
    spec: { capacity: { storage: '1Gi' } },
  });
  await eventually(async () => {
    const now = await world.volume('disk');
    expect(now.metadata.labels).toEqual({ ...metadata.labels, theirs: 'yes' });
    expect(now.metadata.annotations).toMatchObject({ [`${PREFIX}/deviceDir`]: world.devices, theirs: 'yes' });
    expect(now.metadata.ownerReferences).toEqual(metadata.ownerReferences);
    expect(now.spec.capacity).toEqual({ storage: '16Mi' });
  });
});

test('an agent that is started again wipes nothing and writes nothing', async () => {
  await using world = await worldOf('again');
  const disk = await world.disk('disk', 16 * MIB);
  await world.configure();
  await world.settled(await world.agent());
  const before = await world.becomes('disk', 'Available');
  await fill(disk.path, MIB);
  await world.kill();
  const agent = await world.agent();
  await world.settled(agent);
  expect(await world.volume('disk')).toEqual(before);
  expect(await agent.metric('holdfast_devices_wiped_bytes_total')).toBe(0);
  expect(await isZero(disk.path, 0, MIB)).toBe(false);
});

test('for development it logs everything, in lines for people, whatever else was asked for', async () => {
  await using world = await worldOf('development');
  await using proxy = await startFaultProxy(plane);
  const agent = await world.agentBy(proxy, '--log-level=silent', '--log-format=json', '--development');
  const lines = () => agent.logged.map(({ msg }) => `${msg}`);
  await eventually(() =>
    expect(lines()).toContainEqual(expect.stringMatching(/^\S+Z INFO {2}nothing is done on this node why=/)),
  );
  proxy.inject({ times: Number.POSITIVE_INFINITY }, { fault: 'reset' });
  proxy.resetAllConnections();
  await eventually(() => expect(lines()).toContainEqual(expect.stringMatching(/^\S+Z DEBUG watch interrupted /)));
});
