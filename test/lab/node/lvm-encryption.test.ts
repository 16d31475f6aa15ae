/** Encrypted volumes on a real node: who has not the key reads nothing, and the key is seen nowhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_CHECKOUT } from '../../harness/built.ts';
import { LvmNode, MIB, PREFIX } from './lvm-node.ts';
import type { Program } from './program.ts';

const SECRETS = '/api/v1/namespaces/holdfast/secrets';
const SEEN = '/run/seen-while-cryptsetup-ran';
const PLAIN_TEXT = 'a sentence that nobody is to find on the disk';
const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map((each) => `the ${each} key, of many letters`) as [
  string,
  string,
  string,
];

let node: LvmNode;
let agent: Program;
beforeAll(async () => {
  node = await LvmNode.start([512 * MIB]);
  const spy = `cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ >>${SEEN} 2>/dev/null; exec /usr/sbin/cryptsetup "$@"`;
  await node.guest.write('/usr/local/sbin/cryptsetup', `#!/bin/sh\n${spy}\n`, '0755');
  await node.plane.admin.post(SECRETS, { metadata: { name: 'key' }, data: data({ key: FIRST }) });
  agent = await node.agent('--secret-namespaces=holdfast');
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

it('is refused, and nothing is made, while cryptsetup or the key is missing', async () => {
  await node.guest.output('mv', '/usr/local/sbin/cryptsetup', '/usr/local/cryptsetup.away');
  await node.guest.output('mv', '/usr/sbin/cryptsetup', '/usr/sbin/cryptsetup.away');
  await node.declare('without', { storage: '32Mi', annotations: { cryptSecret: 'later' } });
  await node.says('without', 'message', 'the node has no cryptsetup');
  expect(await node.isTold('PersistentVolume', 'without', 'VolumeCryptsetupIsMissing')).toContain('cryptsetup');
  await node.guest.output('mv', '/usr/sbin/cryptsetup.away', '/usr/sbin/cryptsetup');
  await node.guest.output('mv', '/usr/local/cryptsetup.away', '/usr/local/sbin/cryptsetup');
  await node.says('without', 'message', 'there is no Secret holdfast/later');
  expect(await node.lvs()).toEqual([]);
  await node.plane.admin.post(SECRETS, { metadata: { name: 'later' }, data: data({ key: THIRD }) });
  await node.says('without', 'status', 'Processed');
  await node.delete('without');
  await node.isGone('without');
  expect(await node.lvs()).toEqual([]);
});

describe('an encrypted volume', () => {
  it('holds nothing that could be read without the key', async () => {
    await node.declare('safe', { storage: '48Mi', annotations: { cryptSecret: 'key' } });
    await node.says('safe', 'status', 'Processed');
    await node.guest.write('/mnt/pv/safe/file', PLAIN_TEXT);
    await node.guest.output('sync', '-f', '/mnt/pv/safe/file');
    await node.guest.output('sh', '-c', 'echo 3 >/proc/sys/vm/drop_caches');
    expect(await holds('/dev/storage_bulk/safe', PLAIN_TEXT)).toBe(false);
    expect(await holds(await mapping('safe'), PLAIN_TEXT)).toBe(true);
    expect(await node.guest.output('cryptsetup', 'luksDump', '/dev/storage_bulk/safe')).toMatch(/^Version:\s+2$/m);
  });

  it('has a key that is in no process list, no environment, no log and no file of the node', async () => {
    expect(await holds(SEEN, 'luksFormat')).toBe(true);
    expect(await holds(SEEN, FIRST)).toBe(false);
    expect(await holds(SEEN, base64(FIRST))).toBe(false);
    expect(agent.lines.filter((line) => line.includes(FIRST) || line.includes(base64(FIRST)))).toEqual([]);
    const { stdout } = await node.guest.run([
      ...['grep', '--recursive', '--files-with-matches', '--fixed-strings', '--devices=skip'],
      ...['-e', FIRST, '-e', base64(FIRST), '/etc', '/run', '/tmp', '/var', '/mnt'],
    ]);
    expect(stdout).toBe('');
    const events = await node.plane.admin.list('/apis/events.k8s.io/v1/events');
    expect(JSON.stringify(events)).not.toContain(FIRST);
  });

  it('grows while it is in use', async () => {
    const before = Number(await node.guest.output('stat', '--file-system', '--format', '%b', '/mnt/pv/safe'));
    await node.grow('safe', '80Mi');
    await node.says('safe', 'size', `${80 * MIB}`);
    const now = Number(await node.guest.output('stat', '--file-system', '--format', '%b', '/mnt/pv/safe'));
    expect(now).toBeGreaterThan(before * 1.4);
    expect((await node.guest.read('/mnt/pv/safe/file')).toString()).toBe(PLAIN_TEXT);
  });

  it('has a snapshot that is read with the same key, and has what was written just before', async () => {
    await node.guest.write('/mnt/pv/safe/just-now', PLAIN_TEXT);
    const annotations = { snapshotOf: 'safe', cryptSecret: 'key' };
    await node.declare('safe-then', { storage: '32Mi', annotations });
    await node.says('safe-then', 'status', 'Processed');
    await node.guest.write('/mnt/pv/safe/file', 'something else');
    for (const file of ['file', 'just-now'])
      expect((await node.guest.read(`/mnt/pv/safe-then/${file}`)).toString()).toBe(PLAIN_TEXT);
    expect(await node.guest.output('ls', '/run/holdfast/frozen')).toBe('');
    await node.delete('safe-then');
    await node.isGone('safe-then');
    await node.guest.write('/mnt/pv/safe/file', PLAIN_TEXT);
  });

  it('has a header that is written to a file on request, and never over another one', async () => {
    const backup = [
      'node',
      BUILT_IN_CHECKOUT,
      'lvm',
      'header-backup',
      'safe',
      '/root/safe.luks',
      '--mount-namespace=own',
    ];
    expect(await node.guest.output(...backup)).toBe('The header of storage_bulk/safe is in /root/safe.luks.');
    expect(await node.guest.output('stat', '--format', '%a', '/root/safe.luks')).toBe('400');
    const withIt = ['--header', '/root/safe.luks', '--key-file', '-', '/dev/storage_bulk/safe'];
    const tried = ['/usr/sbin/cryptsetup', 'open', '--test-passphrase', ...withIt];
    expect((await node.guest.run(tried, { input: FIRST })).status).toBe(0);
    const again = await node.guest.run(backup);
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('/root/safe.luks')]);
  });

  it('gets another key while it is in use, and the one before opens it no longer', async () => {
    expect(await opens(FIRST)).toBe(true);
    await node.plane.admin.patch(`${SECRETS}/key`, { data: data({ key: SECOND, previousKey: FIRST }) });
    await node.eventually('the new key to open it', async () => expect(await opens(SECOND)).toBe(true));
    await node.eventually('the old key to open it no longer', async () => expect(await opens(FIRST)).toBe(false));
    expect((await node.guest.read('/mnt/pv/safe/file')).toString()).toBe(PLAIN_TEXT);
  });

  it('is opened with the new key by an agent that comes anew', async () => {
    await comesAnew();
    await node.says('safe', 'status', 'Processed');
    await node.eventually('it to be mounted', async () => {
      expect((await node.guest.read('/mnt/pv/safe/file')).toString()).toBe(PLAIN_TEXT);
    });
  });

  it('says so while it is still open when its Secret has a key that does not open it', async () => {
    await node.plane.admin.patch(`${SECRETS}/key`, { data: { ...data({ key: THIRD }), previousKey: null } });
    await node.says('safe', 'message', 'the key of its Secret does not open /dev/storage_bulk/safe');
    expect(await node.isTold('PersistentVolume', 'safe', 'VolumeKeyIsWrong')).toContain('previousKey');
    expect((await node.guest.read('/mnt/pv/safe/file')).toString()).toBe(PLAIN_TEXT);
    expect([await opens(SECOND), await opens(THIRD)]).toEqual([true, false]);
  });

  it('stays closed and untouched without its key, and is back with it', async () => {
    await comesAnew();
    await node.says('safe', 'message', 'keyIsWrong');
    expect((await node.guest.run(['findmnt', '/mnt/pv/safe'])).status).not.toBe(0);
    await node.plane.admin.patch(`${SECRETS}/key`, { data: data({ key: SECOND }) });
    const { metadata } = await node.says('safe', 'status', 'Processed');
    expect(metadata.annotations).not.toHaveProperty([`${PREFIX}message`]);
    expect((await node.guest.read('/mnt/pv/safe/file')).toString()).toBe(PLAIN_TEXT);
  });
});

it('nothing of a key was seen to the end', async () => {
  for (const key of [FIRST, SECOND, THIRD]) {
    expect(await holds(SEEN, key)).toBe(false);
    expect(node.lines.filter((line) => line.includes(key) || line.includes(base64(key)))).toEqual([]);
  }
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const data = (keys: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, base64(key)]));

const holds = async (file: string, text: string): Promise<boolean> =>
  (await node.guest.run(['grep', '--quiet', '--text', '--fixed-strings', '-e', text, file])).status === 0;

async function mapping(name: string): Promise<string> {
  return await node.guest.output('findmnt', '--noheadings', '--output', 'SOURCE', `/mnt/pv/${name}`);
}

/** Whether this key opens it. */
async function opens(key: string): Promise<boolean> {
  const argv = ['/usr/sbin/cryptsetup', 'open', '--test-passphrase', '--key-file', '-', '/dev/storage_bulk/safe'];
  return (await node.guest.run(argv, { input: key })).status === 0;
}

/** As after a boot: nothing is mounted, and nothing is open. */
async function comesAnew(): Promise<void> {
  agent.kill('SIGTERM');
  await agent.ended();
  const opened = await mapping('safe');
  await node.guest.output('umount', '/mnt/pv/safe');
  await node.guest.output('cryptsetup', 'close', opened);
  agent = await node.agent('--secret-namespaces=holdfast');
}
