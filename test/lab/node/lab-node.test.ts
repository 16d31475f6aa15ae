/** That the machine which other tests stand on is one. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHttp } from '../../harness/loopback.ts';
import { eventually } from '../../harness/wait.ts';
import { encode, FrameReader } from './frames.ts';
import { LabNode } from './lab-node.ts';

const MIB = 2 ** 20;

let node: LabNode;
beforeAll(async () => {
  node = await LabNode.start({ diskBytes: [64 * MIB, 64 * MIB] });
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

it('frames are put together wherever they were cut', () => {
  const frames = ['', 'a', 'bc'.repeat(99)].map((text, conversation) => ({
    conversation,
    kind: 'data' as const,
    body: Buffer.from(text),
  }));
  const bytes = Buffer.concat(frames.map(encode));
  for (const size of [1, 2, 8, 9, 10, 50, bytes.length]) {
    const reader = new FrameReader();
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(pieces.flatMap((piece) => [...reader.push(piece)])).toEqual(frames);
  }
});

describe('a program in the guest', () => {
  it('is told by how it ended and what it wrote', async () => {
    const { status, stdout, stderr } = await node.run(['sh', '-c', 'cat; echo "$WHAT" >&2; exit 7'], {
      input: 'this',
      env: { WHAT: 'that' },
    });
    expect({ status, stdout, stderr }).toEqual({ status: 7, stdout: 'this', stderr: 'that\n' });
  });

  it('is given and gives every byte as it is', async () => {
    const bytes = Buffer.from(Array.from({ length: 64 * 1024 }, (_, index) => (index + (index >> 8)) & 255));
    const ran = await node.run(['sh', '-c', 'tee /tmp/bytes | sha256sum >&2; cat /tmp/bytes'], { input: bytes });
    expect(ran.stderr).toContain(createHash('sha256').update(bytes).digest('hex'));
    expect(ran.bytes.equals(bytes)).toBe(true);
    await node.write('/etc/some/file', bytes, '0640');
    expect((await node.read('/etc/some/file')).equals(bytes)).toBe(true);
    expect(await node.output('stat', '-c', '%a', '/etc/some/file')).toBe('640');
  });

  it('runs beside others', async () => {
    const waiting = node.run(['sh', '-c', 'until [ -e /tmp/go ]; do sleep 0.1; done; echo gone']);
    const numbers = await Promise.all([1, 2, 3, 4].map((number) => node.output('echo', `${number}`)));
    expect(numbers).toEqual(['1', '2', '3', '4']);
    await node.output('touch', '/tmp/go');
    expect((await waiting).stdout).toBe('gone\n');
  });

  it('that is not there is an error, and so is one that does not end in its time', async () => {
    await expect(node.run(['no-such-program'])).rejects.toThrow('no-such-program: spawn no-such-program ENOENT');
    await expect(node.run(['sleep', '600'], { timeout: 1 })).rejects.toThrow('sleep 600 took more than 1 ms');
    await expect(node.output('false')).rejects.toThrow('false ended with 1');
  });

  it('is followed line by line, and killed', async () => {
    const program = node.start(['sh', '-c', 'echo one; echo two >&2; printf three; exec sleep 600']);
    await eventually(() => expect([...program.lines].sort()).toEqual(['one', 'two']));
    program.kill('SIGKILL');
    expect(await program.ended()).toBe('SIGKILL');
  });
});

it('the guest reaches a port of the machine that was opened to it, and the machine one of the guest', async () => {
  await using server = await serveHttp((_, response) => response.end('from outside'));
  await node.reaches(server.port);
  const fetching = 'const answer = await fetch(process.argv[1]); console.log(await answer.text())';
  const argv = ['node', '--input-type=module', '-e', fetching];
  expect(await node.output(...argv, `${server.url}`)).toBe('from outside');

  const serving = `require('node:http').createServer((_, response) => response.end('from inside')).listen(8099, '127.0.0.1')`;
  const program = node.start(['node', '-e', serving]);
  const address = await node.addressOf(8099);
  await eventually(async () => expect(await (await fetch(`http://${address}`)).text()).toBe('from inside'));
  program.kill('SIGTERM');
  expect(await program.ended()).toBe('SIGTERM');
});

it('what a volume is made of is there: thin pools, LUKS2 and filesystems', async () => {
  await node.output('vgcreate', '--yes', 'tools', '/dev/ubda');
  await node.output('lvcreate', '--yes', '--type', 'thin-pool', '--name', 'pool', '--size', '48M', 'tools');
  await node.output('lvcreate', '--yes', '--thin', '--virtualsize', '32M', '--name', 'thin', 'tools/pool');
  const { stdout } = await node.run(['lvs', '--reportformat', 'json', '--options', 'lv_name,pool_lv', 'tools/thin']);
  expect(JSON.parse(stdout)).toMatchObject({ report: [{ lv: [{ lv_name: 'thin', pool_lv: 'pool' }] }] });

  const luks = (...argv: string[]) =>
    node.run(['cryptsetup', '--batch-mode', '--key-file', '-', ...argv], { input: 'secret' });
  const quick = ['--type', 'luks2', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', '1000'];
  expect(await luks('luksFormat', ...quick, '/dev/tools/thin')).toMatchObject({ status: 0 });
  expect(await luks('open', '/dev/tools/thin', 'opened')).toMatchObject({ status: 0 });
  await node.output('mkfs.ext4', '-q', '/dev/mapper/opened');
  expect(await node.output('blkid', '-p', '-o', 'value', '-s', 'TYPE', '/dev/mapper/opened')).toBe('ext4');
  await node.output('cryptsetup', 'close', 'opened');
  const TOOLS = [
    'mkfs.xfs',
    'mkfs.btrfs',
    'xfs_growfs',
    'resize2fs',
    'btrfs',
    'fstrim',
    'nsenter',
    'findmnt',
    'wipefs',
  ];
  for (const tool of TOOLS) await node.output('sh', '-c', `command -v ${tool}`);
  await node.output('vgremove', '--force', '--yes', 'tools');
});

it('a mount point is made immutable', async () => {
  await node.output('mkdir', '-p', '/mnt/pv/empty');
  await node.output('chattr', '+i', '/mnt/pv/empty');
  expect(await node.run(['touch', '/mnt/pv/empty/file'])).toMatchObject({ status: 1 });
  await node.output('chattr', '-i', '/mnt/pv/empty');
});

describe('a guest that is turned off and on', () => {
  it('asks its programs to end, and has kept its root filesystem and its disks when it is rebooted', async () => {
    await node.output('mkfs.ext4', '-q', '/dev/ubdb');
    await node.output('mkdir', '-p', '/mnt/data');
    await node.output('mount', '/dev/ubdb', '/mnt/data');
    const trap = 'trap "echo ended >/mnt/data/ended; exit" TERM; echo ready; while :; do sleep 0.1; done';
    const program = node.start(['sh', '-c', trap]);
    await eventually(() => expect(program.lines).toEqual(['ready']));
    await node.write('/etc/kept', 'kept');
    const before = await node.output('cat', '/proc/sys/kernel/random/boot_id');

    await node.reboot();
    expect(await node.output('cat', '/proc/sys/kernel/random/boot_id')).not.toBe(before);
    expect(await node.read('/etc/kept')).toEqual(Buffer.from('kept'));
    expect((await node.run(['findmnt', '/mnt/data'])).status).toBe(1);
    await node.output('mount', '/dev/ubdb', '/mnt/data');
    expect(await node.output('cat', '/mnt/data/ended')).toBe('ended');
  });

  it('has kept what was synced when its power was cut, and nothing runs in it meanwhile', async () => {
    await node.output('sh', '-c', 'echo synced >/mnt/data/synced; sync /mnt/data/synced');
    const running = expect(node.run(['sleep', '600'])).rejects.toThrow('sleep 600: the guest is off');
    await node.cutPower();
    await running;
    await expect(node.run(['true'])).rejects.toThrow('the node is off');
    await node.boot();
    await node.output('mount', '/dev/ubdb', '/mnt/data');
    expect(await node.output('cat', '/mnt/data/synced')).toBe('synced');
  });
});
