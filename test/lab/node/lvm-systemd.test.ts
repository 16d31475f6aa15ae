/** The lvm agent on a node whose process 1 is systemd: volumes are mounted at every boot, before there is an agent. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { escapePath, unitNameOf } from '../../../src/lvm/mount-units.ts';
import { LvmNode, MIB } from './lvm-node.ts';
import type { Program } from './program.ts';

const UNITS = '/etc/systemd/system';

let node: LvmNode;
let agent: Program;
beforeAll(async () => {
  node = await LvmNode.start([256 * MIB], 'node7', { systemd: true });
  agent = await node.agent();
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

const unitOf = (volume: string): string => `${UNITS}/${unitNameOf(`/mnt/pv/${volume}`)}`;
const mounted = (volume: string) =>
  node.guest.output('findmnt', '--noheadings', '--output', 'OPTIONS', `/mnt/pv/${volume}`);

it('calls units as systemd does', async () => {
  const paths = [
    '/',
    '/mnt/pv/a-b.c',
    '/.a/.b',
    '/ä ö/%/\\',
    '/x//y/./z/',
    "/it's",
    '/a:b_c',
    '/-',
    '/=',
    '/mnt/pv/..c',
  ];
  const said = await node.guest.output('systemd-escape', '--path', '--', ...paths);
  expect(paths.map(escapePath)).toEqual(said.split(' '));
});

it('volumes have units that are enabled, and are mounted again after a reboot without an agent', async () => {
  await Promise.all(['my-data', 'other'].map((name) => node.declare(name, { storage: '32Mi' })));
  await Promise.all(['my-data', 'other'].map((name) => node.says(name, 'status', 'Processed')));
  expect(unitOf('my-data')).toBe(`${UNITS}/mnt-pv-my\\x2ddata.mount`);
  expect(await node.guest.output('systemctl', 'is-active', unitNameOf('/mnt/pv/my-data') ?? '')).toBe('active');
  await node.guest.write('/mnt/pv/my-data/file', 'kept');

  await node.guest.reboot();
  expect(await mounted('my-data')).toContain('noexec');
  expect(await mounted('other')).toContain('noexec');
  expect((await node.guest.read('/mnt/pv/my-data/file')).toString()).toBe('kept');
  expect(await node.guest.output('systemctl', '--failed', '--no-legend')).toBe('');
  agent = await node.agent();
});

it('other mount options are in force at once, and after a boot', async () => {
  await node.annotate('other', { mountOpts: 'noexec,noatime' });
  await node.eventually('the options to be in force', async () => expect(await mounted('other')).toContain('noatime'));
  await node.eventually('the unit to have them', async () =>
    expect((await node.guest.read(unitOf('other'))).toString()).toContain('Options=noexec,noatime,nofail\n'),
  );
  await node.eventually('the marks to say so', async () =>
    expect(await node.guest.output('lvs', '--noheadings', '--options', 'lv_tags', 'storage_bulk/other')).toContain(
      'holdfast.dev/mountOpts=noexec#2Cnoatime',
    ),
  );
});

it('a boot does not fail for a volume that is not there any more', async () => {
  agent.kill('SIGKILL');
  await agent.ended();
  await node.guest.output('systemctl', 'stop', unitNameOf('/mnt/pv/other') ?? '');
  await node.guest.output('lvrename', 'storage_bulk', 'other', 'away');
  await node.guest.reboot();
  expect(await mounted('my-data')).toContain('noexec');
  const { stdout } = await node.guest.run(['systemctl', 'is-active', 'local-fs.target', 'emergency.target']);
  expect(stdout.trim().split('\n')).toEqual(['active', 'inactive']);
  await node.guest.output('lvrename', 'storage_bulk', 'away', 'other');
  agent = await node.agent();
  await node.eventually('it to be mounted', async () => expect(await mounted('other')).toContain('noatime'));
});

it('the unit goes with the volume', async () => {
  await Promise.all(['my-data', 'other'].map((name) => node.delete(name)));
  await Promise.all(['my-data', 'other'].map((name) => node.isGone(name)));
  expect(await node.guest.output('ls', '--recursive', UNITS)).not.toContain('mnt-pv');
  const { stdout } = await node.guest.run(['systemctl', 'list-units', '--all', '--no-legend', 'mnt-pv-*']);
  expect(stdout.trim()).toBe('');
  expect(await node.lvs()).toEqual([]);
});

it('a volume of the original that is not mounted is adopted by its unit, which becomes ours', async () => {
  await node.guest.output(
    'lvcreate',
    '--yes',
    '-W',
    'y',
    '-Z',
    'y',
    '--size',
    '32m',
    '--name',
    'old-one',
    'storage_bulk',
  );
  await node.guest.output('mkfs.ext4', '-q', '/dev/storage_bulk/old-one');
  await node.guest.output('mount', '/dev/storage_bulk/old-one', '/mnt');
  await node.guest.write('/mnt/file', 'of the original');
  await node.guest.output('umount', '/mnt');
  await node.guest.output('lvchange', '--activate', 'n', 'storage_bulk/old-one');
  const theirs = '[Mount]\nWhat=/dev/mapper/storage_bulk-old--one\nWhere=/mnt/pv/old-one\nType=ext4\n';
  await node.guest.write(unitOf('old-one'), theirs, '0644');
  await node.declare('old-one', {
    storage: '32Mi',
    annotations: { status: 'Processed', mountPoint: '/mnt/pv/old-one' },
  });

  await node.eventually('it to be mounted', async () => expect(await mounted('old-one')).toContain('noexec'));
  expect((await node.guest.read('/mnt/pv/old-one/file')).toString()).toBe('of the original');
  expect((await node.guest.read(unitOf('old-one'))).toString()).toContain('What=/dev/storage_bulk/old-one\n');
  await node.delete('old-one');
  await node.isGone('old-one');
  expect(await node.lvs()).toEqual([]);
});
