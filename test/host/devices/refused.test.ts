/** What the agent must not do, whatever the API, the configuration or the disks say: nothing is written where it refuses. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../../harness/wait.ts';
import { aLoopDevice } from '../loop-device.ts';
import { DevicesCluster, fill, hashOf, isZero, MIB, NAMESPACE, NodeWorld, run, type Volume } from './world.ts';

let cluster: DevicesCluster;
let plane: ControlPlane;
beforeAll(async () => {
  cluster = await DevicesCluster.start();
  plane = cluster.plane;
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const worldOf = (node: string) => NodeWorld.create(cluster, node);

test('with a wrong ConfigMap no device is touched, each problem is an Event, and a right one is taken up at once', async () => {
  await using world = await worldOf('wrong');
  const disk = await world.disk('disk', 4 * MIB);
  await fill(disk.path, 4 * MIB);
  const before = await hashOf(disk.path);
  const agent = await world.agent();
  const wrong: readonly (readonly [Record<string, string | null>, RegExp])[] = [
    [{ deviceDir: null }, /deviceDir/],
    [{ deviceDir: 'dev/disk' }, /deviceDir/],
    [{ deviceDir: join(world.directory, 'nowhere') }, /nowhere/],
    [{ deviceNameFilter: '(' }, /deviceNameFilter/],
    [{ deviceNameFilter: '(?=a)b' }, /deviceNameFilter/],
    [{ volumeMode: 'Filesystem' }, /fsType/],
    [{ volumeMode: 'Filesystem', fsType: 'ntfs' }, /ntfs/],
    [{ volumeMode: 'block' }, /volumeMode/],
    [{ wipeMethod: 'shred' }, /wipeMethod/],
    [{ deviceDirr: '/dev' }, /deviceDirr/],
  ];
  for (const [changes, problem] of wrong) {
    await world.configure(world.configOf(changes));
    await eventually(async () => {
      const events = await world.eventsAbout('Node', world.node);
      expect(events.map(({ note }) => note)).toContainEqual(expect.stringMatching(problem));
    });
    expect(await agent.metric('holdfast_devices_configuration_faults')).toBeGreaterThan(0);
  }
  await world.annotate({ 'local-pv-provisioner.cybozu.io/pv-spec-configmap': 'there-is-none' });
  await eventually(async () => {
    const events = await world.eventsAbout('Node', world.node);
    expect(events.map(({ note }) => note)).toContainEqual(expect.stringMatching(/there-is-none/));
  });
  expect(await hashOf(disk.path)).toBe(before);
  expect(await world.find('disk')).toBeUndefined();

  await world.configure();
  await world.becomes('disk', 'Available');
  expect(await agent.metric('holdfast_devices_configuration_faults')).toBe(0);
  expect(await isZero(disk.path, 0, 4 * MIB)).toBe(true);
});

test('a part of the ConfigMap that has no effect is told, and the rest of it has', async () => {
  await using world = await worldOf('ignored');
  await world.disk('disk', MIB);
  await world.configure(world.configOf({ fsType: 'ext4' }));
  await world.agent();
  const { type, note } = await world.told('Node', world.node, 'DevicesConfigurationIgnored');
  expect(type).toBe('Warning');
  expect(note).toMatch(/config-ignored.*fsType/);
  expect((await world.becomes('disk', 'Available')).spec).toMatchObject({ volumeMode: 'Block' });
});

test('a filter that would take for ever elsewhere is answered at once', async () => {
  await using world = await worldOf('filter');
  const name = `${'a'.repeat(60)}!b`;
  await world.disk(name, MIB);
  await world.disk('zzz', MIB);
  await world.configure(world.configOf({ deviceNameFilter: '^(([a-z])+.)+[A-Z]([a-z])+$|^(a+)+!b$' }));
  const agent = await world.agent();
  await world.becomes(name, 'Available');
  await world.settled(agent);
  expect(await world.find('zzz')).toBeUndefined();
});

describe('a volume that only says to be ours is not recycled:', () => {
  /** As ours, but for what the test changes, and released. */
  async function forged(
    world: NodeWorld,
    name: string,
    changes: { path?: string; node?: string; label?: string } = {},
  ) {
    const { path = world.pathOf(name), node = world.node, label = world.node } = changes;
    const volume = {
      metadata: {
        name: world.volumeOf(name),
        labels: { 'local-pv-provisioner.cybozu.com/node': label, 'local-pv-provisioner.cybozu.io/node': label },
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '4Mi' },
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: world.storageClass,
        volumeMode: 'Block',
        local: { path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
            ],
          },
        },
      },
    };
    await world.create(volume);
    await world.becomes(name, 'Available');
    await world.unclaim(await world.claim(name));
    return await world.becomes(name, 'Released');
  }

  /** The agent has decided about it and left it as it is. */
  async function isLeft(world: NodeWorld, volume: Volume, reason: string) {
    await world.told('PersistentVolume', volume.metadata.name, reason);
    const now = await plane.admin.get<Volume>(`/api/v1/persistentvolumes/${volume.metadata.name}`);
    expect(now.metadata.uid).toBe(volume.metadata.uid);
    expect(now.metadata.deletionTimestamp).toBeUndefined();
    return now;
  }

  test('its path leads to a disk outside of the directory', async () => {
    await using world = await worldOf('system-disk');
    const system = world.undo.use(await aLoopDevice(4 * MIB));
    await fill(system.path, 4 * MIB);
    const before = await hashOf(system.path);
    await world.configure();
    await world.agent();
    const path = system.path;
    const volume = await forged(world, path.slice(path.lastIndexOf('/') + 1), { path });
    await isLeft(world, volume, 'DeviceIsOutsideTheDeviceDirectory');
    expect(await hashOf(system.path)).toBe(before);
  });

  test('its path leads to a regular file', async () => {
    await using world = await worldOf('file');
    const file = join(world.devices, 'file');
    await writeFile(file, Buffer.alloc(4 * MIB, 0xa5));
    const before = await hashOf(file);
    await world.configure();
    await world.agent();
    await isLeft(world, await forged(world, 'file'), 'DeviceIsNotABlockDevice');
    expect(await hashOf(file)).toBe(before);
  });

  test('the ledger does not know it', async () => {
    await using world = await worldOf('unknown');
    const disk = await world.disk('disk', 4 * MIB);
    await run('mkfs.ext4', '-q', disk.path);
    const before = await hashOf(disk.path);
    await world.configure();
    await world.agent();
    await world.told('Node', world.node, 'DeviceHasForeignData');
    await isLeft(world, await forged(world, 'disk'), 'DeviceWasNotMadeByUs');
    expect(await hashOf(disk.path)).toBe(before);
  });

  test('it can be used on another node', async () => {
    await using world = await worldOf('elsewhere');
    const disk = await world.disk('disk', 4 * MIB);
    await fill(disk.path, 4 * MIB);
    await world.unlink('disk');
    const before = await hashOf(disk.path);
    await world.configure();
    await world.agent();
    const volume = await forged(world, 'disk', { node: 'another' });
    await world.link('disk', disk.path);
    const now = await isLeft(world, volume, 'DeviceVolumeIsNotOurs');
    expect(now.metadata.resourceVersion).toBe(volume.metadata.resourceVersion);
    expect(await hashOf(disk.path)).toBe(before);
  });

  test('the filter leaves its device out', async () => {
    await using world = await worldOf('left-out');
    const disk = await world.disk('system', 4 * MIB);
    await fill(disk.path, 4 * MIB);
    const before = await hashOf(disk.path);
    await world.configure(world.configOf({ deviceNameFilter: '^data' }));
    const volume = await forged(world, 'system');
    await world.agent();
    await isLeft(world, volume, 'DeviceIsLeftOutByTheFilter');
    expect(await hashOf(disk.path)).toBe(before);
  });

  test('its label names another node: the agent does not even look at it', async () => {
    await using world = await worldOf('not-mine');
    const disk = await world.disk('disk', 4 * MIB);
    await fill(disk.path, 4 * MIB);
    const before = await hashOf(disk.path);
    await world.configure();
    const volume = await forged(world, 'disk', { label: 'somebody' });
    const agent = await world.agent();
    await world.settled(agent);
    /** One that it looks at and finds not to be its own is told. */
    expect(await agent.metric('holdfast_devices', /state="refused"/)).toBe(0);
    expect((await world.volume('disk')).metadata.resourceVersion).toBe(volume.metadata.resourceVersion);
    expect(await hashOf(disk.path)).toBe(before);
  });
});

describe('a disk with something on it', () => {
  test('is refused, until a person approves it; that counts once', async () => {
    await using world = await worldOf('foreign');
    const disk = await world.disk('disk', 16 * MIB);
    await run('mkfs.ext4', '-q', disk.path);
    const before = await hashOf(disk.path);
    await world.configure();
    await world.agent();
    const { note } = await world.told('Node', world.node, 'DeviceHasForeignData');
    expect(note).toContain(`holdfast devices approve ${world.node} ${world.pathOf('disk')}`);
    expect(await hashOf(disk.path)).toBe(before);

    await eventually(async () => expect((await world.command('devices', 'plan', world.node)).stdout).toContain('ext4'));
    const approved = await world.command('devices', 'approve', world.node, world.pathOf('disk'), '--yes');
    expect(approved).toMatchObject({ code: 0 });
    const volume = await world.becomes('disk', 'Available');
    expect(await isZero(disk.path, 0, 16 * MIB)).toBe(true);
    await world.told('Node', world.node, 'DevicesApprovalUsed');
    await eventually(async () => {
      const { stdout } = await world.command('status', 'devices', world.node);
      expect(stdout).toMatch(/disk +16Mi +known by its size only .* available/);
    });

    await world.kill();
    await plane.admin.delete(`/api/v1/persistentvolumes/${volume.metadata.name}`);
    await eventually(async () => expect(await world.find('disk')).toBeUndefined());
    await run('mkfs.ext4', '-q', disk.path);
    const again = await hashOf(disk.path);
    const agent = await world.agent();
    await eventually(async () =>
      expect(await agent.metric('holdfast_devices_refused', /reason="hasForeignData"/)).toBe(1),
    );
    expect(await hashOf(disk.path)).toBe(again);
  });

  test('is wiped where the ConfigMap says so', async () => {
    await using world = await worldOf('existing');
    const disk = await world.disk('disk', 16 * MIB);
    await run('mkfs.ext4', '-q', disk.path);
    await world.configure(world.configOf({ wipeExisting: 'true' }));
    await world.agent();
    await world.becomes('disk', 'Available');
    expect(await isZero(disk.path, 0, 16 * MIB)).toBe(true);
  });
});

test('a device whose bound volume vanished is held for a person', async () => {
  await using world = await worldOf('vanished');
  const disk = await world.disk('disk', 16 * MIB);
  await world.configure();
  const agent = await world.agent();
  const volume = await world.becomes('disk', 'Available');
  await world.claim('disk');
  await fill(disk.path, 16 * MIB);
  const before = await hashOf(disk.path);
  await world.settled(agent);
  await plane.admin.delete(`/api/v1/persistentvolumes/${volume.metadata.name}`);
  await world.patch('disk', { metadata: { finalizers: null } });
  await world.told('Node', world.node, 'DeviceOwnerWasNotSeenToLeave');
  expect(await world.find('disk')).toBeUndefined();
  expect(await hashOf(disk.path)).toBe(before);
});

test('where a volume was made with other settings none is made, until that is resolved', async () => {
  await using world = await worldOf('settings');
  await world.disk('first', MIB);
  await world.configure();
  await world.agent();
  await world.becomes('first', 'Available');
  await world.configure(world.configOf({ storageClassName: 'other' }));
  const late = await world.disk('second', MIB);
  await fill(late.path, MIB);
  await world.told('Node', world.node, 'DeviceSettingsDisagree');
  expect(await world.find('second')).toBeUndefined();
  expect(await isZero(late.path, 0, MIB)).toBe(false);
  await world.remove('first');
  await world.becomes('second', 'Available');
});

test('two paths of one disk become one volume', async () => {
  await using world = await worldOf('twice');
  const disk = await world.disk('one', 4 * MIB);
  await world.configure();
  await world.agent();
  await world.becomes('one', 'Available');
  await fill(disk.path, 4 * MIB);
  await world.link('two', disk.path);
  await world.told('Node', world.node, 'DeviceIsUsedByAnotherVolume');
  expect(await world.find('two')).toBeUndefined();
  expect(await isZero(disk.path, 0, 4 * MIB)).toBe(false);
});

test('without a ConfigMap nothing is done, and a default is taken where there is one', async () => {
  await using world = await worldOf('default');
  const disk = await world.disk('disk', MIB);
  await fill(disk.path, MIB);
  const agent = await world.agent();
  await world.settled(agent);
  expect(await isZero(disk.path, 0, MIB)).toBe(false);
  await world.kill();
  await plane.admin.post(`/api/v1/namespaces/${NAMESPACE}/configmaps`, {
    metadata: { name: 'default-config' },
    data: world.configOf(),
  });
  await world.agent('--default-pv-spec-configmap=default-config');
  await world.becomes('disk', 'Available');
});

test('a dry run plans, and changes nothing', async () => {
  await using world = await worldOf('dry');
  const disk = await world.disk('disk', 16 * MIB);
  await fill(disk.path, 16 * MIB);
  const before = await hashOf(disk.path);
  await world.configure();
  const agent = await world.agent('--dry-run');
  await world.settled(agent);
  await eventually(async () => {
    const { stdout } = await world.command('devices', 'plan', world.node);
    expect(stdout).toMatch(/disk .*would be made.*zero-head/);
  });
  expect(await world.find('disk')).toBeUndefined();
  expect(await hashOf(disk.path)).toBe(before);
});
