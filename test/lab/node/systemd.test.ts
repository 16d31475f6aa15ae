/** A guest in which systemd is process 1, as on most nodes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LabNode } from './lab-node.ts';

const MIB = 2 ** 20;
const WHERE = '/mnt/pv/some-volume';

let node: LabNode;
beforeAll(async () => {
  node = await LabNode.start({ diskBytes: [64 * MIB], systemd: true });
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

it('what has a mount unit is mounted again after a reboot, with its logical volume and its data', async () => {
  expect(await node.output('cat', '/proc/1/comm')).toBe('systemd');
  await node.output('vgcreate', '--yes', 'storage', '/dev/ubda');
  await node.output('lvcreate', '--yes', '--name', 'some', '--size', '16M', 'storage');
  await node.output('mkfs.ext4', '-q', '/dev/storage/some');
  const unit = await node.output('systemd-escape', '--path', '--suffix=mount', WHERE);
  const content = `[Mount]\nWhat=/dev/storage/some\nWhere=${WHERE}\n[Install]\nWantedBy=local-fs.target\n`;
  await node.write(`/etc/systemd/system/${unit}`, content);
  await node.output('systemctl', 'daemon-reload');
  await node.output('systemctl', 'enable', '--now', unit);
  await node.write(`${WHERE}/file`, 'kept');

  await node.reboot();
  expect(await node.output('findmnt', '--noheadings', '--output', 'FSTYPE', WHERE)).toBe('ext4');
  expect(await node.read(`${WHERE}/file`)).toEqual(Buffer.from('kept'));
  expect(await node.output('systemctl', '--failed', '--no-legend')).toBe('');
});
