/** The whole devices agent on a machine with a device mapper: what LVM holds is not wiped, and a disk that fails is not handed out. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../harness/wait.ts';
import { DevicesCluster, MIB } from '../../host/devices/world.ts';
import { DevicesNode } from './devices-node.ts';
import type { LabNode } from './lab-node.ts';

const DISK_BYTES = 32 * MIB;
const SECTORS = DISK_BYTES / 512;
const BAD_SECTOR = SECTORS / 2;

let cluster: DevicesCluster;
let node: DevicesNode;
let guest: LabNode;
beforeAll(async () => {
  cluster = await DevicesCluster.start();
  node = await DevicesNode.start(cluster, 'guest', [DISK_BYTES, DISK_BYTES]);
  guest = node.guest;
  await node.world.configure();
  await node.agent();
}, 600_000);
afterAll(async () => {
  await node?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

it('a released volume that is still a physical volume of LVM is refused by name, and recycled when the logical volume is gone', async () => {
  const { world } = node;
  await node.link('held', '/dev/ubda');
  const used = await world.becomes('held', 'Available');
  const claim = await world.claim('held');
  await guest.output('vgcreate', '--yes', 'used', '/dev/ubda');
  await guest.output('lvcreate', '--yes', '--name', 'data', '--size', '8M', 'used');
  const { status } = await guest.run(['dd', 'of=/dev/used/data', 'conv=fsync'], { input: 'somebody still needs this' });
  expect(status).toBe(0);
  const holder = (await guest.output('readlink', '-f', '/dev/used/data')).replace('/dev/', '');
  const before = await sha256('/dev/ubda');

  await world.unclaim(claim);
  const { note } = await world.told('PersistentVolume', used.metadata.name, 'DeviceHasHolders');
  expect(note).toContain(`is part of ${holder}`);
  const refused = await world.volume('held');
  expect(refused).toMatchObject({ metadata: { uid: used.metadata.uid }, status: { phase: 'Released' } });
  expect(refused.metadata.deletionTimestamp).toBeUndefined();
  expect(await sha256('/dev/ubda')).toBe(before);

  await guest.output('vgremove', '--force', '--yes', 'used');
  await world.becomes('held', 'Available', used);
  expect(await sha256('/dev/ubda')).toBe(ZEROES);
});

it('a volume whose device fails in the middle of its wipe is let go, and the device is wiped again before it is a volume again', async () => {
  const { world } = node;
  await mapTo('create', [`0 ${SECTORS} linear /dev/ubdb 0`]);
  await node.link('failing', '/dev/mapper/failing');
  const used = await world.becomes('failing', 'Available');
  const claim = await world.claim('failing');
  await guest.output(
    'sh',
    '-c',
    `yes 'somebody has used this' | dd of=/dev/ubdb bs=1M count=32 iflag=fullblock conv=fsync`,
  );
  await guest.output('dmsetup', 'suspend', 'failing');
  await mapTo('load', [
    `0 ${BAD_SECTOR} linear /dev/ubdb 0`,
    `${BAD_SECTOR} 8 error`,
    `${BAD_SECTOR + 8} ${SECTORS - BAD_SECTOR - 8} linear /dev/ubdb ${BAD_SECTOR + 8}`,
  ]);
  await guest.output('dmsetup', 'resume', 'failing');

  await world.unclaim(claim);
  const { note } = await world.told('PersistentVolume', used.metadata.name, 'DeviceWipeFailed');
  expect(note).toMatch(/EIO|I\/O error/);
  await eventually(async () => expect(await world.find('failing')).toBeUndefined());
  await world.told('Node', world.node, 'DeviceWipeFailed');
  expect(await world.find('failing')).toBeUndefined();
  expect(await sha256('/dev/ubdb')).not.toBe(ZEROES);

  await guest.output('dmsetup', 'suspend', 'failing');
  await mapTo('load', [`0 ${SECTORS} linear /dev/ubdb 0`]);
  await guest.output('dmsetup', 'resume', 'failing');
  await world.becomes('failing', 'Available', used);
  expect(await sha256('/dev/ubdb')).toBe(ZEROES);
});

/** The device `failing` consists of these parts, one line each. */
async function mapTo(verb: 'create' | 'load', table: readonly string[]): Promise<void> {
  const { status, stderr } = await guest.run(['dmsetup', verb, 'failing'], { input: table.join('\n') });
  if (status !== 0) throw new Error(`dmsetup ${verb}: ${stderr}`);
}

/** Of what is really on the device. */
async function sha256(path: string): Promise<string> {
  const [sum = ''] = (await guest.output('sh', '-c', `blockdev --flushbufs ${path} && sha256sum ${path}`)).split(' ');
  return sum;
}

const ZEROES = createHash('sha256').update(Buffer.alloc(DISK_BYTES)).digest('hex');
