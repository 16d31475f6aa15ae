/** Thin pools on a real node: made when they are needed, never promised too often, and closed before they are full. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LvmNode, MIB } from './lvm-node.ts';

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([512 * MIB]);
  await node.agent('--thin-overcommit=2', '--resync-period=15s');
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

const IN_POOL = { thinPool: 'pool' };

describe('a thin volume', () => {
  it('waits for its pool, which is made when it is said how large, also over what a power cut has left of it', async () => {
    await node.declare('first', { storage: '96Mi', annotations: IN_POOL });
    await node.says('first', 'message', 'there is no thin pool storage_bulk/pool');
    expect(await node.lvs()).toEqual([]);
    const mark = 'holdfast.dev:thin-pool';
    await node.guest.output('lvcreate', '--yes', '--name', 'pool', '--size', '8m', '--addtag', mark, 'storage_bulk');
    await node.annotate('first', { thinPoolSize: '128Mi' });
    await node.says('first', 'status', 'Processed');
    expect(await node.lvs()).toEqual(['storage_bulk/first', 'storage_bulk/pool']);
    const options = ['--noheadings', '--units', 'm', '--options', 'lv_size,pool_lv,segtype'];
    expect(await node.guest.output('lvs', ...options, 'storage_bulk/first')).toMatch(/^96\.00m +pool +thin$/);
    expect(await node.guest.output('lvs', ...options, 'storage_bulk/pool')).toMatch(/^128\.00m +thin-pool$/);
    expect(await node.guest.output('lvs', '--noheadings', '--options', 'lv_tags', 'storage_bulk/pool')).toBe(mark);
    await node.guest.write('/mnt/pv/first/file', 'as it was');
    await node.guest.output('sync', '-f', '/mnt/pv/first/file');
  });

  it('has a snapshot in the same pool, which takes no room of the group', async () => {
    const free = ['vgs', '--noheadings', '--options', 'vg_free', 'storage_bulk'];
    const before = await node.guest.output(...free);
    await node.declare('first-then', { storage: '96Mi', annotations: { snapshotOf: 'first' } });
    await node.says('first-then', 'status', 'Processed');
    expect(await node.guest.output(...free)).toBe(before);
    await node.guest.write('/mnt/pv/first/file', 'as it is now');
    await node.guest.output('sync', '-f', '/mnt/pv/first/file');
    expect((await node.guest.read('/mnt/pv/first-then/file')).toString()).toBe('as it was');
    expect((await node.guest.run(['touch', '/mnt/pv/first-then/more'])).status).not.toBe(0);
  });

  it('is refused when more would be promised than is allowed', async () => {
    await node.declare('too-much', { storage: '80Mi', annotations: IN_POOL });
    await node.says('too-much', 'message', '272Mi together, and 256Mi is as much as may be promised');
    expect(await node.isTold('PersistentVolume', 'too-much', 'VolumePoolIsPromised')).toContain('pool');
    expect(await node.lvs()).not.toContain('storage_bulk/too-much');
    await node.delete('first-then');
    await node.isGone('first-then');
    await node.says('too-much', 'status', 'Processed');
    await node.delete('too-much');
    await node.isGone('too-much');
  });

  it('grows while it is in use, with what is on it', async () => {
    await node.grow('first', '112Mi');
    await node.says('first', 'size', `${112 * MIB}`);
    expect((await node.guest.read('/mnt/pv/first/file')).toString()).toBe('as it is now');
  });

  it('is not made in a pool that is nearly full of data, everybody is told, and it is made when there is room', async () => {
    await node.declare('filling', { storage: '112Mi', annotations: IN_POOL });
    await node.says('filling', 'status', 'Processed');
    await fillsData();
    const told = await node.isTold('Node', node.name, 'ThinPoolNearlyFull');
    expect(told).toMatch(/data of the thin pool storage_bulk\/pool/);
    await node.declare('shut-out', { storage: '8Mi', annotations: IN_POOL });
    await node.says('shut-out', 'message', 'the data of the thin pool storage_bulk/pool are');
    await node.isTold('PersistentVolume', 'shut-out', 'VolumePoolIsFull');
    expect(await node.lvs()).not.toContain('storage_bulk/shut-out');
    await node.declare('first-now', { storage: '112Mi', annotations: { snapshotOf: 'first' } });
    await node.says('first-now', 'message', 'are');
    expect(await node.lvs()).not.toContain('storage_bulk/first-now');

    await node.guest.output('lvextend', '--size', '256m', 'storage_bulk/pool');
    await node.says('shut-out', 'status', 'Processed');
    expect((await node.guest.read('/mnt/pv/first/file')).toString()).toBe('as it is now');
  });
});

describe('a pool whose metadata are nearly full', () => {
  const NARROW = { thinPool: 'narrow' };
  const LIMIT_PERCENT = 80;

  it('takes nothing new, everybody is told, and it does when there is room', async () => {
    const size = ['--poolmetadatasize', '2m', '--size', '32m'];
    await node.guest.output('lvcreate', '--yes', '--type', 'thin-pool', ...size, '--name', 'narrow', 'storage_bulk');
    await node.declare('before', { storage: '16Mi', annotations: NARROW });
    await node.says('before', 'status', 'Processed');
    await node.guest.write('/mnt/pv/before/file', 'as it was');
    await node.guest.output('sync', '-f', '/mnt/pv/before/file');
    const nextId = await fillsMetadata(LIMIT_PERCENT + 1);

    const told = await node.isTold('Node', node.name, 'ThinPoolMetadataNearlyFull');
    expect(told).toMatch(/metadata of the thin pool storage_bulk\/narrow/);
    await node.declare('kept-out', { storage: '16Mi', annotations: NARROW });
    await node.says('kept-out', 'message', 'the metadata of the thin pool storage_bulk/narrow are 8');
    await node.says('kept-out', 'message', 'poolIsFull');
    expect(await node.isTold('PersistentVolume', 'kept-out', 'VolumePoolIsFull')).toContain('metadata');
    expect(await node.lvs()).not.toContain('storage_bulk/kept-out');
    const percent = await metric('holdfast_lvm_thin_pool_metadata_percent{vg="storage_bulk",pool="narrow"}');
    expect(percent).toBeGreaterThanOrEqual(LIMIT_PERCENT);
    expect(await metric('holdfast_lvm_thin_pool_data_percent{vg="storage_bulk",pool="narrow"}')).toBeLessThan(90);

    await makesRoom(nextId);
    await node.says('kept-out', 'status', 'Processed');
    expect((await node.guest.read('/mnt/pv/before/file')).toString()).toBe('as it was');
  });

  /** By volumes that only the kernel knows: what LVM asks it for as well, in a tenth of the time. Gives the first number that is free. */
  async function fillsMetadata(percent: number): Promise<number> {
    const script = `
      set -e
      id=100000
      while :; do
        used=$(lvs --noheadings --options metadata_percent storage_bulk/narrow)
        [ "\${used%.*}" -lt ${percent} ] || break
        for _ in $(seq 16); do
          dmsetup message storage_bulk-narrow-tpool 0 "create_thin $id"
          id=$((id + 1))
        done
      done
      echo $id`;
    const { status, stdout, stderr } = await node.guest.run(['sh', '-c', script], { timeout: 400_000 });
    if (status !== 0) throw new Error(stderr);
    return Number(stdout);
  }

  /** So much of it that LVM, which has a limit of its own at 75 %, makes a volume again. */
  async function makesRoom(upTo: number): Promise<void> {
    const script =
      'for id in $(seq $(($1 - 256)) $(($1 - 1))); do dmsetup message storage_bulk-narrow-tpool 0 "delete $id"; done';
    await node.guest.output('sh', '-ec', script, 'sh', `${upTo}`);
  }
});

/** As it is now. */
async function metric(name: string): Promise<number> {
  const line = (await node.metrics()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** Nearly, and not quite: who writes to a full pool waits for a minute, and loses what he has written. */
async function fillsData(): Promise<void> {
  const script = `
    set -e
    for i in $(seq 50); do
      used=$(lvs --noheadings --options data_percent storage_bulk/pool)
      [ "\${used%.*}" -lt 91 ] || exit 0
      [ $i -lt 20 ] && volume=first || volume=filling
      dd if=/dev/urandom of=/mnt/pv/$volume/part-$i bs=1M count=4 conv=fsync
    done
    echo the data are only at $used >&2; exit 1`;
  const { status, stderr } = await node.guest.run(['sh', '-c', script], { timeout: 400_000 });
  if (status !== 0) throw new Error(stderr);
}
