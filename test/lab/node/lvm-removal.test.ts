/** How volumes leave a real node: shredded, by way of the trash, in spite of who holds them, and while nobody was there to see it. */
import { createReadStream } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NAMESPACE } from '../../integration/agents.ts';
import { LvmNode, MIB } from './lvm-node.ts';
import type { Program } from './program.ts';

let node: LvmNode;
let agent: Program;
beforeAll(async () => {
  node = await LvmNode.start([512 * MIB]);
  agent = await node.agent(`--secret-namespaces=${NAMESPACE}`, '--resync-period=5s');
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

/** Whether this text is anywhere on the disk of the node, read from outside of it. */
async function isOnDisk(text: string): Promise<boolean> {
  let rest = '';
  for await (const chunk of createReadStream(node.guest.disks[0]?.path ?? '', { highWaterMark: MIB })) {
    const read = rest + (chunk as Buffer).toString('latin1');
    if (read.includes(text)) return true;
    rest = read.slice(-text.length);
  }
  return false;
}

/** A volume that is ready, with a file on it that is on the disk. */
async function aVolumeWith(name: string, content: string, annotations: Readonly<Record<string, string>> = {}) {
  await node.declare(name, { storage: '32Mi', annotations });
  await node.says(name, 'status', 'Processed');
  await node.guest.write(`/mnt/pv/${name}/file`, content);
  await node.guest.output('sync');
}

async function leaves(name: string): Promise<void> {
  await node.delete(name);
  await node.isGone(name);
}

it('what is not shredded stays on the disk', async () => {
  await aVolumeWith('open', 'everybody may read this');
  await leaves('open');
  expect(await node.lvs()).toEqual([]);
  expect(await isOnDisk('everybody may read this')).toBe(true);
});

it.each(['zero', 'random', 'discard'])('a volume is shredded before it is removed: %s', async (method) => {
  const text = `nobody may read this after ${method}`;
  await aVolumeWith(method, text, { shred: method });
  expect(await isOnDisk(text)).toBe(true);
  await leaves(method);
  expect(await node.lvs()).toEqual([]);
  expect(await isOnDisk(text)).toBe(false);
});

it('a thin volume is not said to be shredded where its disk would not hear of it', async () => {
  await aVolumeWith('thin', 'this stays in the pool', { shred: 'discard', thinPool: 'pool', thinPoolSize: '64Mi' });
  await node.delete('thin');
  await node.says('thin', 'message', 'does not pass discards on to its disks');
  await node.annotate('thin', { shred: 'none' });
  await node.isGone('thin');
  expect(await node.lvs()).toEqual(['storage_bulk/pool']);
  await node.guest.output('lvremove', '--yes', 'storage_bulk/pool');
});

it('a thin volume is shredded where its disk hears of what is discarded', async () => {
  const { guest } = node;
  const disk = await guest.output('sh', '-c', 'truncate --size 128M /run/disk && losetup --find --show /run/disk');
  await guest.output('vgcreate', '--yes', 'hearing', disk);
  const [text, blocks] = ['nobody may read this in the pool', ['stat', '--format', '%b', '/run/disk']];
  const isInFile = async () => (await guest.run(['grep', '--quiet', '--text', text, '/run/disk'])).status === 0;
  await node.declare('passed-on', {
    storage: '64Mi',
    annotations: { vg: 'hearing', shred: 'discard', thinPool: 'pool', thinPoolSize: '96Mi' },
  });
  await node.says('passed-on', 'status', 'Processed');
  await guest.output('sh', '-c', 'yes "$1" | head -c 16M >/mnt/pv/passed-on/file; sync', 'sh', text);
  const before = Number(await guest.output(...blocks));
  expect(await isInFile()).toBe(true);

  await leaves('passed-on');
  expect(await isInFile()).toBe(false);
  expect(Number(await guest.output(...blocks))).toBeLessThan(before - (15 * MIB) / 512);
  expect(await node.lvs()).toEqual(['hearing/pool']);
  await guest.output('vgremove', '--yes', 'hearing');
  await guest.output('losetup', '--detach', disk);
});

it('of an encrypted volume the keys are erased, and nothing else', async () => {
  const key = Buffer.from('a key that nobody guesses').toString('base64');
  const secrets = `/api/v1/namespaces/${NAMESPACE}/secrets`;
  await node.plane.admin.post(secrets, { metadata: { name: 'key' }, data: { key } });
  await aVolumeWith('sealed', 'nobody reads this anyway', { shred: 'zero', cryptSecret: 'key' });
  expect(await isOnDisk('nobody reads this anyway')).toBe(false);
  await leaves('sealed');
  expect(await node.lvs()).toEqual([]);
  const { guest } = node;
  await guest.output(
    'lvcreate',
    ...['--yes', '--wipesignatures', 'n', '--zero', 'n', '--size', '32m'],
    '--name',
    'probe',
    'storage_bulk',
  );
  const header = await guest.output('cryptsetup', 'luksDump', '/dev/storage_bulk/probe');
  await guest.output('lvremove', '--yes', 'storage_bulk/probe');
  expect(header).toContain('LUKS header information');
  expect(header).not.toMatch(/^\s+0: luks2/m);
});

it('a volume that goes to the trash comes back with its data', async () => {
  const { guest } = node;
  await aVolumeWith('kept', 'somebody needs this', { removePolicy: 'trash', shred: 'zero' });
  await leaves('kept');
  const [trashed, ...others] = await node.lvs();
  expect([trashed, others]).toEqual([expect.stringMatching(/^storage_bulk\/trash\+kept\+[0-9a-f]{8}$/), []]);
  expect(await guest.output('lvs', '--noheadings', '--options', 'lv_active')).toBe('');
  expect((await guest.run(['ls', '/mnt/pv'])).stdout).toBe('');

  const manifest = parse(await node.command('restore', 'kept'));
  expect(manifest).toMatchObject({ kind: 'PersistentVolume', metadata: { name: 'kept' } });
  await node.apply(manifest);
  await node.says('kept', 'status', 'Processed');
  expect(await node.lvs()).toEqual(['storage_bulk/kept']);
  expect((await guest.read('/mnt/pv/kept/file')).toString()).toBe('somebody needs this');
  expect(await guest.output('lvs', '--noheadings', '--options', 'lv_tags')).not.toContain('trashed');
  await leaves('kept');
});

it('whoever holds a volume is named, and it goes when they let go', async () => {
  await aVolumeWith('busy', 'in use');
  const script = 'cd /mnt/pv/busy && exec sleep 100000 9<file';
  const holder = node.guest.start(['sh', '-c', script]);
  const pid = await node.eventually('somebody to hold it', () => node.guest.output('pgrep', '-x', 'sleep'));
  await node.delete('busy');
  const said = `/mnt/pv/busy is in use: held by process ${pid} (sleep: working directory, open file)`;
  await node.says('busy', 'message', said);
  expect(await node.isTold('PersistentVolume', 'busy', 'VolumeIsHeld')).toContain(said);
  holder.kill('SIGKILL');
  await node.isGone('busy');
});

it('what was deleted while the agent was down goes when it is back, and so does what was in the trash for long enough', async () => {
  await aVolumeWith('late', 'nobody may read this later', { shred: 'zero' });
  agent.kill('SIGKILL');
  await agent.ended();
  await node.delete('late');
  const { guest } = node;
  const marks = ['uid=lost', 'pv=lost', 'cluster=unknown', 'state=ready'].flatMap((tag) => [
    '--addtag',
    `holdfast.dev/${tag}`,
  ]);
  await guest.output('lvcreate', '--yes', '--size', '4m', '--name', 'lost', ...marks, 'storage_bulk');
  await guest.output('mkdir', '/mnt/pv/left');
  expect(await node.lvs()).toEqual(
    expect.arrayContaining(['storage_bulk/late', expect.stringMatching(/^storage_bulk\/trash\+kept/)]),
  );

  agent = await node.agent('--sanity-checks', '--trash-ttl=1s', '--resync-period=5s');
  await node.isGone('late');
  expect(await isOnDisk('nobody may read this later')).toBe(false);
  await node.isTold('Node', node.name, 'VolumeTrashEmptied');
  expect(await node.lvs()).toEqual(['storage_bulk/lost']);
  expect(await isOnDisk('somebody needs this')).toBe(false);
});

it('what belongs to no volume is told, and removed when a person says so', async () => {
  const { guest } = node;
  const told = await node.isTold('Node', node.name, 'VolumeOrphans');
  expect(told).toContain('the logical volume storage_bulk/lost of the volume lost of another cluster (unknown)');
  expect(told).toContain('/mnt/pv/left, where nothing is mounted');
  expect(await node.metrics()).toMatch(/^holdfast_lvm_orphans\{kind="mount-point"\} 1$/m);

  const first = await node.command('clean', '--yes');
  expect(first).toContain('/mnt/pv/left is gone');
  expect(first).toContain('name it to have it removed');
  expect(await node.lvs()).toEqual(['storage_bulk/lost']);
  expect(await node.command('clean', 'storage_bulk/lost', '--yes')).toContain('storage_bulk/lost is gone');
  expect(await node.lvs()).toEqual([]);
  expect((await guest.run(['ls', '/mnt/pv'])).stdout).toBe('');
  expect(await node.command('clean')).toBe(`Everything on ${node.name} belongs to a volume.`);
});
