/** The whole lvm agent on a real node: a declared volume becomes a logical volume, lives, grows, and leaves nothing behind. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LvmNode, MIB } from './lvm-node.ts';

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([512 * MIB]);
  await node.agent('--release');
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

it('a declared volume is made, formatted and mounted, and everything of it goes when it is deleted', async () => {
  const { guest } = node;
  await node.declare('data');
  const made = await node.says('data', 'status', 'Processed');
  expect(made.metadata.finalizers).toContain('holdfast.dev/lvm');
  expect(made).toMatchObject({ spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  expect(await guest.output('findmnt', '--noheadings', '--output', 'SOURCE,FSTYPE', '/mnt/pv/data')).toMatch(
    /^\/dev\/mapper\/storage_bulk-data +ext4$/,
  );
  expect(await guest.output('lvs', '--noheadings', '--options', 'lv_size', '--units', 'm')).toBe('64.00m');
  await guest.write('/mnt/pv/data/file', 'somebody needs this');

  await node.delete('data');
  await node.isGone('data');
  expect(await node.lvs()).toEqual([]);
  expect((await guest.run(['ls', '/mnt/pv'])).stdout).toBe('');
});
