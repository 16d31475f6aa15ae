/** Volumes that grow while they are used, and snapshots of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LvmNode, MIB, PREFIX } from './lvm-node.ts';

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([3072 * MIB]);
  await node.agent();
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

describe('a volume that is asked to be larger', () => {
  /** As small as the filesystem can be, since a guest is slow. */
  it.each([
    { fsType: 'ext3', from: '16Mi', to: '32Mi' },
    { fsType: 'ext4', from: '16Mi', to: '33Mi' },
    { fsType: 'xfs', from: '304Mi', to: '400Mi' },
    { fsType: 'btrfs', from: '128Mi', to: '320Mi' },
  ])('grows with its $fsType while it is in use, and keeps what is on it', async ({ fsType, from, to }) => {
    const name = `grows-${fsType}`;
    await node.declare(name, { storage: from, annotations: { fsType } });
    const { before, size } = { before: await sizeWhenReady(name), size: await filesystemBytes(name) };
    await fill(name);
    await using _user = heldOpen(name);
    const mount = await mountId(name);

    await node.grow(name, to);
    await node.eventually(`${name} to have grown`, async () => {
      const now = await sizeWhenReady(name);
      if (now <= before) throw new Error(`it has ${now}, as before`);
      if ((await filesystemBytes(name)) <= size) throw new Error('its filesystem has not grown');
    });
    expect(await sizeWhenReady(name)).toBe(Math.ceil((Number.parseInt(to, 10) * MIB) / (4 * MIB)) * 4 * MIB);
    expect(await mountId(name)).toBe(mount);
    await isIntact(name);
  });

  it('does not when there is no room, says so, and does when there is', async () => {
    await node.declare('large', { storage: '16Mi' });
    await node.declare('other', { storage: '1Gi' });
    await sizeWhenReady('other');
    await sizeWhenReady('large');
    await fill('large');
    await node.grow('large', '1800Mi');
    await node.says('large', 'message', 'are needed (groupIsFull)');
    expect(await node.isTold('PersistentVolume', 'large', 'VolumeGroupIsFull')).toContain('storage_bulk');
    await isIntact('large');
    await node.delete('other');
    await node.isGone('other');
    await node.says('large', 'size', `${1800 * MIB}`);
    await isIntact('large');
    await node.delete('large');
    await node.isGone('large');
  });

  it('stays as it is when less is asked for', async () => {
    await node.declare('shrinks', { storage: '32Mi' });
    await sizeWhenReady('shrinks');
    await fill('shrinks');
    await node.grow('shrinks', '16Mi');
    await node.annotate('shrinks', { autoRelease: 'true' });
    await node.eventually('it to be looked at', async () => {
      const { metadata } = await node.volume('shrinks');
      expect(metadata.annotations?.[`${PREFIX}autoRelease`]).toBe('true');
    });
    expect(await sizeWhenReady('shrinks')).toBe(32 * MIB);
    await isIntact('shrinks');
  });
});

describe('a snapshot', () => {
  it.each(['ext4', 'xfs'])('of a volume with %s shows what was there, and nobody can write to it', async (fsType) => {
    const [origin, snapshot] = [`origin-${fsType}`, `then-${fsType}`];
    await node.declare(origin, { storage: fsType === 'xfs' ? '304Mi' : '32Mi', annotations: { fsType } });
    await sizeWhenReady(origin);
    await node.guest.write(`/mnt/pv/${origin}/file`, 'as it was');
    await node.guest.output('sync', '-f', `/mnt/pv/${origin}/file`);
    await node.declare(snapshot, { storage: '16Mi', annotations: { snapshotOf: origin, fsType } });
    await sizeWhenReady(snapshot);
    await node.guest.write(`/mnt/pv/${origin}/file`, 'as it is now');
    await node.guest.output('sync', '-f', `/mnt/pv/${origin}/file`);

    expect((await node.guest.read(`/mnt/pv/${snapshot}/file`)).toString()).toBe('as it was');
    expect((await node.guest.read(`/mnt/pv/${origin}/file`)).toString()).toBe('as it is now');
    const { status, stderr } = await node.guest.run(['touch', `/mnt/pv/${snapshot}/another`]);
    expect(status).not.toBe(0);
    expect(stderr).toContain('Read-only file system');

    await node.grow(origin, '500Mi');
    await node.says(origin, 'message', `${snapshot}`);
    await node.delete(origin);
    await node.says(origin, 'message', 'hasSnapshots');
    await node.delete(snapshot);
    await node.isGone(snapshot);
    await node.isGone(origin);
    expect(await node.lvs()).not.toContainEqual(expect.stringContaining(origin));
  });

  it('is refused when its origin is not there, not ours, or of another kind', async () => {
    await node.guest.output('lvcreate', '--yes', '--name', 'stranger', '--size', '8m', 'storage_bulk');
    await node.declare('plain', { storage: '16Mi' });
    await sizeWhenReady('plain');
    await node.declare('of-nothing', { storage: '8Mi', annotations: { snapshotOf: 'nothing' } });
    await node.declare('of-a-stranger', { storage: '8Mi', annotations: { snapshotOf: 'stranger' } });
    await node.declare('of-another-kind', { storage: '8Mi', annotations: { snapshotOf: 'plain', fsType: 'xfs' } });
    await node.says('of-nothing', 'message', 'there is no logical volume storage_bulk/nothing');
    await node.says('of-a-stranger', 'message', 'originIsForeign');
    await node.says('of-another-kind', 'message', 'originIsDifferent');
    expect((await node.lvs()).filter((lv) => lv.includes('/of-'))).toEqual([]);
  });

  it('of a btrfs is refused, since the kernel takes both for the same', async () => {
    await node.declare('of-btrfs', { storage: '16Mi', annotations: { snapshotOf: 'grows-btrfs', fsType: 'btrfs' } });
    await node.says('of-btrfs', 'message', 'btrfs');
    await node.says('of-btrfs', 'status', 'Not-Processed-Errors');
    expect(await node.lvs()).not.toContain('storage_bulk/of-btrfs');
    await isIntact('grows-btrfs');
  });
});

async function sizeWhenReady(name: string): Promise<number> {
  const { metadata } = await node.says(name, 'status', 'Processed');
  return Number(metadata.annotations?.[`${PREFIX}size`]);
}

const filesystemBytes = async (name: string): Promise<number> =>
  Number(await node.guest.output('stat', '--file-system', '--format', '%b', `/mnt/pv/${name}`));

const mountId = (name: string): Promise<string> =>
  node.guest.output('findmnt', '--noheadings', '--output', 'ID', `/mnt/pv/${name}`);

/** With what is the same every time, and is checked by its sum. */
async function fill(name: string): Promise<void> {
  const script = 'cd "$1" && head -c 4194304 /dev/urandom >content && sha256sum content >sum && sync -f content';
  await node.guest.output('sh', '-c', script, 'sh', `/mnt/pv/${name}`);
}

async function isIntact(name: string): Promise<void> {
  const script = 'echo 3 >/proc/sys/vm/drop_caches; cd "$1" && sha256sum --check --quiet sum';
  await node.guest.output('sh', '-c', script, 'sh', `/mnt/pv/${name}`);
}

/** Somebody who writes to it all the time. */
function heldOpen(name: string): AsyncDisposable {
  const script = 'cd "$1" && while :; do date >>busy; sleep 0.2; done';
  const user = node.guest.start(['sh', '-c', script, 'sh', `/mnt/pv/${name}`]);
  return {
    async [Symbol.asyncDispose]() {
      user.kill('SIGTERM');
      await user.ended();
    },
  };
}
