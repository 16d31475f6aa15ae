/** What goes wrong on a node, and what becomes of volumes meanwhile: nothing is lost, everybody is told, and it goes on when it can. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE } from '../../../src/lvm/options/hostile.ts';
import { LvmNode, MIB, PREFIX } from './lvm-node.ts';
import type { Program } from './program.ts';

/** Found before those of the system: what is here is run in their place. */
const OVERLAY = '/usr/local/sbin';
const COMMANDS = '/run/commands';
/** Whatever changes something on the node. */
const CHANGING = ['lvcreate', 'lvchange', 'lvextend', 'lvremove', 'lvrename', 'mkfs.ext4', 'mount', 'cryptsetup'];

let node: LvmNode;
let agent: Program;
const started = (): Promise<Program> => node.agent('--secret-namespaces=holdfast');
beforeAll(async () => {
  node = await LvmNode.start([256 * MIB, 128 * MIB, 64 * MIB]);
  await fillsWithOldData();
  for (const name of CHANGING) await instead(name, `echo "${name} $*" >>${COMMANDS}; exec /usr/sbin/${name} "$@"`);
  await instead('mount', `echo "mount $*" >>${COMMANDS}; exec /usr/bin/mount "$@"`);
  agent = await started();
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

describe('hostile annotations', () => {
  it('are refused, each with its reason, and no command is run for them', async () => {
    await node.guest.write(COMMANDS, '');
    const named = HOSTILE.map(([, annotations], index) => ({ name: `hostile-${index}`, annotations }));
    for (const { name, annotations } of named) await node.declare(name, { storage: '8Mi', annotations });
    for (const { name, annotations } of named) {
      const { metadata } = await node.says(name, 'status', 'Not-Processed-Errors');
      const options = Object.keys(annotations).join('|');
      expect(metadata.annotations?.[`${PREFIX}message`]).toMatch(new RegExp(`^(${options}) cannot `));
      expect(metadata.finalizers).not.toContain('holdfast.dev/lvm');
    }
    expect(await commandsRun()).toBe('');
    expect(await node.lvs()).toEqual([]);

    await node.declare('harmless', { storage: '8Mi' });
    await node.says('harmless', 'status', 'Processed');
    expect(await commandsRun()).toMatch(/^lvcreate .*\nmkfs\.ext4 .*\nlvchange .*\nmount /s);
    for (const { name } of [...named, { name: 'harmless' }]) await node.delete(name);
    for (const { name } of [...named, { name: 'harmless' }]) await node.isGone(name);
  });
});

it('a volume that there is no room for is made when there is', async () => {
  await node.guest.output('lvcreate', '--yes', '--name', 'filler', '--size', '200m', 'storage_bulk');
  await node.declare('waiting', { storage: '100Mi' });
  await node.says('waiting', 'message', 'the volume group storage_bulk has 52Mi free, and 100Mi are needed');
  expect(await node.isTold('PersistentVolume', 'waiting', 'VolumeGroupIsFull')).toContain('52Mi');
  await node.says('waiting', 'status', 'Not-Processed-Errors');
  expect(await node.lvs()).toEqual(['storage_bulk/filler']);
  await node.guest.output('lvremove', '--yes', 'storage_bulk/filler');
  const { metadata } = await node.says('waiting', 'status', 'Processed');
  expect(metadata.annotations).not.toHaveProperty([`${PREFIX}message`]);
  await node.delete('waiting');
  await node.isGone('waiting');
});

it('a volume in a group that is not there is made when the group comes', async () => {
  await node.declare('early', { storage: '8Mi', annotations: { vg: 'late' } });
  await node.says('early', 'message', 'the node has no volume group late');
  await node.guest.output('vgcreate', '--yes', 'late', '/dev/ubdc');
  await node.says('early', 'status', 'Processed');
  expect(await node.lvs()).toEqual(['late/early']);
  await node.delete('early');
  await node.isGone('early');
});

it('a logical volume of the same name that somebody else made is left alone, also when the volume is deleted', async () => {
  await node.guest.output('lvcreate', '--yes', '--name', 'theirs', '--size', '8m', 'storage_bulk');
  await node.guest.output('sh', '-c', 'head -c 8388608 /dev/urandom >/dev/storage_bulk/theirs; sync');
  const before = await sumOf('/dev/storage_bulk/theirs');
  await node.declare('theirs', { storage: '16Mi' });
  await node.says('theirs', 'message', 'logicalVolumeIsForeign');
  await node.isTold('PersistentVolume', 'theirs', 'VolumeLogicalVolumeIsForeign');
  await node.delete('theirs');
  await node.isGone('theirs');
  expect(await node.lvs()).toEqual(['storage_bulk/theirs']);
  expect(await sumOf('/dev/storage_bulk/theirs')).toBe(before);
  await node.guest.output('lvremove', '--yes', 'storage_bulk/theirs');
});

it('what somebody has written to a new logical volume is not overwritten', async () => {
  let before: string;
  {
    await using _ = await broken('mkfs.ext4', 'echo no power >&2; exit 1');
    await node.declare('signed', { storage: '16Mi' });
    await node.says('signed', 'message', 'no power');
    // Not while the agent looks at it, and has it for itself.
    await node.eventually('somebody to write to it', () =>
      node.guest.output('mkswap', '--label', 'precious', '/dev/storage_bulk/signed'),
    );
    before = await sumOf('/dev/storage_bulk/signed');
  }
  await node.says('signed', 'message', 'there is swap on storage_bulk/signed, where ext4 was to be made');
  await node.isTold('PersistentVolume', 'signed', 'VolumeSignatureIsForeign');
  expect(await sumOf('/dev/storage_bulk/signed')).toBe(before);
  await node.guest.output('wipefs', '--all', '/dev/storage_bulk/signed');
  await node.says('signed', 'status', 'Processed');
  await node.delete('signed');
  await node.isGone('signed');
});

it.each([
  ['fails', 'echo it is broken >&2; exit 4'],
  ['says that there is nothing, and that it could not look', 'echo cannot read >&2; exit 2'],
  ['is gone', undefined],
])('nothing is formatted while blkid %s', async (how, script) => {
  const name = `unknown-${how.split(' ')[0]}`;
  await fillsWithOldData();
  await node.guest.write(COMMANDS, '');
  {
    await using _ = script === undefined ? await removed('/usr/sbin/blkid') : await broken('blkid', script);
    await node.declare(name, { storage: '16Mi' });
    await node.says(name, 'message', 'cannot be told');
    expect(await commandsRun()).not.toContain('mkfs');
  }
  await node.says(name, 'status', 'Processed');
  await node.delete(name);
  await node.isGone(name);
});

it('nothing is formatted while neither wipefs, which is asked about many at once, nor blkid can tell what is there', async () => {
  const names = ['unknown-a', 'unknown-b', 'unknown-c'];
  await fillsWithOldData();
  agent.kill('SIGTERM');
  await agent.ended();
  await node.guest.write(COMMANDS, '');
  {
    const says = `echo wipefs >>${COMMANDS}; echo cannot read >&2; echo '{"signatures": []}'`;
    await using _wipefs = await broken('wipefs', says);
    await using _blkid = await broken('blkid', 'echo cannot read >&2; exit 2');
    for (const name of names) await node.declare(name, { storage: '16Mi' });
    agent = await started();
    for (const name of names) await node.says(name, 'message', 'cannot be told');
    expect(await commandsRun()).toContain('wipefs');
    expect(await commandsRun()).not.toContain('mkfs');
  }
  for (const name of names) await node.says(name, 'status', 'Processed');
  for (const name of names) await node.delete(name);
  for (const name of names) await node.isGone(name);
});

it('the agent waits for who has the lock of a group, and takes it for no failure', async () => {
  const script = 'exec 9>>/run/lock/lvm/V_storage_bulk; flock 9; echo held; exec sleep 1000';
  const holder = node.guest.start(['sh', '-c', script]);
  await node.eventually('the lock to be held', async () => expect(holder.lines).toContain('held'));
  await node.declare('patient', { storage: '8Mi' });
  await node.eventually('LVM to wait', async () => {
    await node.guest.output('pgrep', '--full', 'lvm fullreport|lvcreate');
  });
  expect((await node.volume('patient')).metadata.annotations ?? {}).not.toHaveProperty([`${PREFIX}status`]);
  holder.kill('SIGTERM');
  await holder.ended();
  await node.says('patient', 'status', 'Processed');
  expect(node.lines.filter((line) => line.includes('"patient"') && line.includes('lvcreate'))).toEqual([]);
  await node.delete('patient');
  await node.isGone('patient');
});

it('a volume that a killed command has left suspended is resumed, and who waited for it goes on', async () => {
  await node.declare('frozen', { storage: '16Mi' });
  await node.says('frozen', 'status', 'Processed');
  await node.guest.output('dmsetup', 'suspend', 'storage_bulk-frozen');
  const writer = node.guest.start([
    'sh',
    '-c',
    'echo later >/mnt/pv/frozen/file && sync -f /mnt/pv/frozen/file && echo written',
  ]);
  await node.annotate('frozen', { autoRelease: 'true' });
  await node.eventually('the writer to go on', async () => expect(writer.lines).toContain('written'));
  expect(
    await node.guest.output('dmsetup', 'info', '--columns', '--noheadings', '-o', 'suspended', 'storage_bulk-frozen'),
  ).toMatch(/Active/);
  expect((await node.guest.read('/mnt/pv/frozen/file')).toString()).toBe('later\n');

  await node.guest.output('dmsetup', 'suspend', 'storage_bulk-frozen');
  await node.delete('frozen');
  await node.isGone('frozen');
});

it('a disk that fails takes only its own volumes with it, and they are back with the disk', async () => {
  // Not from the beginning: LVM would find the group on the disk below as well.
  const sectors = (127 * MIB) / 512;
  const linear = `0 ${sectors} linear /dev/ubdb 2048`;
  await node.guest.output('dmsetup', 'create', 'flaky', '--table', linear);
  await node.guest.output('vgcreate', '--yes', 'failing', '/dev/mapper/flaky');
  await node.declare('doomed', { storage: '16Mi', annotations: { vg: 'failing' } });
  await node.says('doomed', 'status', 'Processed');
  await node.guest.write('/mnt/pv/doomed/file', 'still here');
  await node.guest.output('sync', '-f', '/mnt/pv/doomed/file');

  await swapTable('flaky', `0 ${sectors} error`);
  await node.declare('second', { storage: '16Mi', annotations: { vg: 'failing' } });
  await node.says('second', 'status', 'Not-Processed-Errors');
  const { metadata } = await node.volume('second');
  expect(metadata.annotations?.[`${PREFIX}message`]).toMatch(/volume group failing/);
  await node.declare('healthy', { storage: '8Mi' });
  await node.says('healthy', 'status', 'Processed');
  await node.annotate('doomed', { autoRelease: 'true' });
  await node.says('doomed', 'message', 'groupIsAway');

  await swapTable('flaky', linear);
  await node.says('second', 'status', 'Processed');
  await node.says('doomed', 'status', 'Processed');
  await node.guest.output('sh', '-c', 'echo 3 >/proc/sys/vm/drop_caches');
  expect((await node.guest.read('/mnt/pv/doomed/file')).toString()).toBe('still here');

  await swapTable('flaky', `0 ${sectors} error`);
  await node.delete('second');
  await node.says('second', 'message', 'groupIsAway');
  await swapTable('flaky', linear);
  await node.isGone('second');
  expect(await node.lvs()).toEqual(['failing/doomed', 'storage_bulk/healthy']);
});

/** So that nothing that is made later is blank. */
async function fillsWithOldData(): Promise<void> {
  const { guest } = node;
  await guest.output('lvcreate', '--yes', '--name', 'old', '--extents', '100%FREE', 'storage_bulk');
  await guest.output('sh', '-c', 'yes "old data" | dd of=/dev/storage_bulk/old bs=1M iflag=fullblock 2>&1; sync');
  await guest.output('lvremove', '--yes', 'storage_bulk/old');
}

const instead = (name: string, script: string): Promise<void> =>
  node.guest.write(`${OVERLAY}/${name}`, `#!/bin/sh\n${script}\n`, '0755');

/** Until it is mended. */
async function broken(name: string, script: string): Promise<AsyncDisposable> {
  await node.guest.run(['mv', `${OVERLAY}/${name}`, `${OVERLAY}/.${name}`]);
  await instead(name, script);
  return { [Symbol.asyncDispose]: () => mended(name) };
}

async function mended(name: string): Promise<void> {
  await node.guest.run(['rm', '--force', `${OVERLAY}/${name}`]);
  await node.guest.run(['mv', `${OVERLAY}/.${name}`, `${OVERLAY}/${name}`]);
}

async function removed(file: string): Promise<AsyncDisposable> {
  await node.guest.output('mv', file, `${file}.away`);
  return {
    async [Symbol.asyncDispose]() {
      await node.guest.output('mv', `${file}.away`, file);
    },
  };
}

const commandsRun = async (): Promise<string> => (await node.guest.read(COMMANDS)).toString();

const sumOf = (device: string): Promise<string> => node.guest.output('sha256sum', device);

/** What a disk does from now on, whoever uses it. */
async function swapTable(name: string, table: string): Promise<void> {
  await node.guest.output('dmsetup', 'suspend', '--nolockfs', '--noflush', name);
  await node.guest.output('dmsetup', 'load', name, '--table', table);
  await node.guest.output('dmsetup', 'resume', name);
}
