/** A node without systemd that is turned off and on: the agent mounts again what was mounted, when it starts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMESPACE } from '../../integration/agents.ts';
import { LvmNode, MIB } from './lvm-node.ts';

/** Of each kind one, as small as it can be. */
const VOLUMES = {
  plain: {},
  sealed: { cryptSecret: 'key' },
  thin: { thinPool: 'pool', thinPoolSize: '64Mi' },
};
const NAMES = Object.keys(VOLUMES);
const FLAGS = [`--secret-namespaces=${NAMESPACE}`];

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([256 * MIB]);
  const key = Buffer.from('a key that nobody guesses').toString('base64');
  await node.plane.admin.post(`/api/v1/namespaces/${NAMESPACE}/secrets`, { metadata: { name: 'key' }, data: { key } });
  await node.agent(...FLAGS);
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

const fileOf = (name: string): string => `/mnt/pv/${name}/file`;
const isMounted = async (name: string) => (await node.guest.run(['mountpoint', '-q', `/mnt/pv/${name}`])).status === 0;
const areMounted = () =>
  node.eventually('all to be mounted', async () => {
    for (const name of NAMES) expect(await isMounted(name), name).toBe(true);
  });

async function hold(content: string): Promise<void> {
  for (const name of NAMES) expect((await node.guest.read(fileOf(name))).toString()).toBe(`${content} of ${name}`);
}

it('all that was written is there again after a reboot, as soon as there is an agent', async () => {
  for (const [name, annotations] of Object.entries(VOLUMES)) await node.declare(name, { storage: '32Mi', annotations });
  for (const name of NAMES) await node.says(name, 'status', 'Processed');
  for (const name of NAMES) await node.guest.write(fileOf(name), `data of ${name}`);

  await node.guest.reboot();
  for (const name of NAMES) expect(await isMounted(name), name).toBe(false);
  const { status } = await node.guest.run(['touch', fileOf('plain')]);
  expect(status, 'nobody writes to the disk of the node in place of the volume').not.toBe(0);
  await node.agent(...FLAGS);
  await areMounted();
  await hold('data');
});

it('other options are in force and marked without a new mount, or it is said that they cannot be', async () => {
  const mountOf = () => node.guest.output('findmnt', '--noheadings', '--output', 'ID,OPTIONS', '/mnt/pv/plain');
  const [id] = (await mountOf()).split(' ');
  const isMarked = (mark: string) =>
    node.eventually(`${mark} to be marked`, async () =>
      expect(
        (await node.guest.output('lvs', '--noheadings', '--options', 'lv_tags', 'storage_bulk/plain')).split(','),
      ).toContain(`holdfast.dev/${mark}`),
    );

  await node.annotate('plain', { mountOpts: 'nosuid,noatime,discard', shred: 'zero' });
  await isMarked('mountOpts=nosuid#2Cnoatime#2Cdiscard');
  await isMarked('shred=zero');
  expect(await mountOf()).toMatch(new RegExp(`^${id} +rw,nosuid,noatime,discard$`));

  await node.annotate('plain', { mountOpts: 'nosuid,data=journal' });
  await node.says('plain', 'message', 'cannot all be had while the volume is mounted');
  await isMarked('mountOpts=nosuid#2Cnoatime#2Cdiscard');

  await node.annotate('plain', { mountOpts: 'noexec', shred: 'none' });
  await isMarked('mountOpts=noexec');
  await isMarked('shred=none');
  await node.says('plain', 'status', 'Processed');
  expect(await mountOf()).toMatch(new RegExp(`^${id} +rw,noexec,relatime$`));
});

it('logical volumes that a boot leaves inactive are activated', async () => {
  await node.guest.reboot();
  await node.guest.output('vgchange', '--activate', 'n', 'storage_bulk');
  await node.agent(...FLAGS);
  await areMounted();
  await hold('data');
});

it('what was synced is there again after a power cut', async () => {
  for (const name of NAMES) await node.guest.write(fileOf(name), `more of ${name}`);
  await node.guest.output('sync');
  await node.guest.cutPower();
  await node.guest.boot();
  await node.agent(...FLAGS);
  await areMounted();
  await hold('more');
});

it('volumes that are deleted while the node is off go when it is on', async () => {
  await node.guest.cutPower();
  for (const name of NAMES) await node.delete(name);
  await node.guest.boot();
  await node.agent(...FLAGS);
  for (const name of NAMES) await node.isGone(name);
  expect(await node.lvs()).toEqual(['storage_bulk/pool']);
});
