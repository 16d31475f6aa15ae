/**
 * The lvm agent in a container, as it is shipped: its root, its devices and its mounts are its own, and it has none of the programs that
 * it runs. What it does is done on the machine, where the kubelet sees it.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LvmNode, MIB } from './lvm-node.ts';
import type { Program } from './program.ts';

/** What an image without lvm2, e2fsprogs, cryptsetup and mount does not have. */
const NOT_IN_IMAGE = ['lvm', 'mke2fs', 'resize2fs', 'e2fsck', 'blkid', 'cryptsetup', 'chattr', 'mount', 'umount'];

/**
 * Becomes what it is given, in a container: with mounts and a root of its own, two devices, and the process ids of the machine. What is
 * mounted on either side afterwards is not seen on the other.
 */
const CONTAINER = `set -e
root=/run/container
mkdir -p $root
mount -t tmpfs tmpfs $root
mkdir $root/dev $root/run $root/tmp $root/.machine
cp --archive /bin /sbin /lib /lib64 $root
for directory in /usr /etc /proc /sys $(cat /lab/directories); do
  mkdir -p $root$directory
  mount --bind $directory $root$directory
done
mknod $root/dev/null c 1 3
mknod $root/dev/urandom c 1 9
cp $(command -v umount) $root/leave
for file in $(for program in ${NOT_IN_IMAGE.join(' ')}; do readlink -f $(command -v $program); done | sort -u); do
  mount --bind /dev/null $root$file
done
here=$PWD
cd $root
pivot_root . .machine
exec chroot . sh -c 'cd "$1" && shift && /leave --lazy /.machine && exec "$@"' sh "$here" "$@"`;
const IN_CONTAINER = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', CONTAINER, 'sh'];

const FLAGS = ['--secret-namespaces=holdfast', '--mount-namespace=host'];
const ENCRYPTED = { cryptSecret: 'key' };

let node: LvmNode;
let agent: Program;
beforeAll(async () => {
  node = await LvmNode.start([256 * MIB], 'node7', { systemd: true });
  const key = Buffer.from('a key that nobody guesses').toString('base64');
  await node.plane.admin.post('/api/v1/namespaces/holdfast/secrets', { metadata: { name: 'key' }, data: { key } });
  agent = await node.agentBy(IN_CONTAINER, ...FLAGS);
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

it('the container has neither the programs nor the mounts of the machine', async () => {
  const pid = await node.guest.output('pgrep', '--full', '--', '--mount-namespace=host');
  for (const file of ['/usr/sbin/lvm', '/usr/bin/mount'])
    expect((await node.guest.run(['test', '-x', `/proc/${pid}/root${file}`])).status).toBe(1);
  const [own, machine] = await Promise.all(
    [pid, '1'].map((each) => node.guest.output('readlink', `/proc/${each}/ns/mnt`)),
  );
  expect(own).not.toBe(machine);
  expect(await node.guest.output('ls', '-A', `/proc/${pid}/root/dev`)).toBe('null\nurandom');
});

it.each([
  ['a plain volume', 'plain', {}],
  ['an encrypted volume', 'sealed', ENCRYPTED],
])('%s is mounted for the machine, and not for the container', async (_, name, annotations) => {
  await node.declare(name, { storage: '32Mi', annotations });
  await node.says(name, 'status', 'Processed');
  expect(await mountsOf('1')).toContain(`/mnt/pv/${name}`);
  expect(await mountsOf(await node.guest.output('pgrep', '--full', '--', '--mount-namespace=host'))).not.toContain(
    name,
  );
  await node.guest.write(`/mnt/pv/${name}/file`, `on ${name}`);
  await node.guest.output('sync', '-f', `/mnt/pv/${name}/file`);
  expect(await mountUnits()).toContain('mnt-pv-plain.mount');
});

it('both grow while they are in use', async () => {
  for (const name of ['plain', 'sealed']) {
    const blocks = () => node.guest.output('stat', '--file-system', '--format', '%b', `/mnt/pv/${name}`);
    const before = Number(await blocks());
    await node.grow(name, '48Mi');
    await node.says(name, 'size', `${48 * MIB}`);
    expect(Number(await blocks())).toBeGreaterThan(before * 1.3);
  }
});

it('an agent that comes anew, in another container, finds them as they are', async () => {
  agent.kill('SIGKILL');
  await agent.ended();
  const ids = await mountsOf('1');
  agent = await node.agentBy(IN_CONTAINER, ...FLAGS);
  await node.declare('third', { storage: '16Mi' });
  await node.says('third', 'status', 'Processed');
  expect((await mountsOf('1')).split('\n')).toEqual(expect.arrayContaining(ids.split('\n')));
  for (const name of ['plain', 'sealed'])
    expect((await node.guest.read(`/mnt/pv/${name}/file`)).toString()).toBe(`on ${name}`);
});

it('what is unmounted and closed meanwhile is mounted again by the next one', async () => {
  agent.kill('SIGTERM');
  await agent.ended();
  await node.guest.reboot();
  expect(await mountsOf('1')).not.toContain('/mnt/pv/sealed');
  agent = await node.agentBy(IN_CONTAINER, ...FLAGS);
  await node.eventually('it to be mounted', async () => expect(await mountsOf('1')).toContain('/mnt/pv/sealed'));
  for (const name of ['plain', 'sealed'])
    expect((await node.guest.read(`/mnt/pv/${name}/file`)).toString()).toBe(`on ${name}`);
});

it('a process of the machine that holds a volume is named, and all goes when it lets go', async () => {
  const holder = node.guest.start(['sh', '-c', 'cd /mnt/pv/plain && exec sleep 100000']);
  const pid = await node.eventually('somebody to hold it', () => node.guest.output('pgrep', '-x', 'sleep'));
  for (const name of ['plain', 'sealed', 'third']) await node.delete(name);
  await node.says('plain', 'message', `process ${pid} (sleep: working directory`);
  holder.kill('SIGKILL');
  for (const name of ['plain', 'sealed', 'third']) await node.isGone(name);
  expect(await node.lvs()).toEqual([]);
  expect(await mountsOf('1')).not.toContain('/mnt/pv');
  expect(await mountUnits()).toBe('');
  expect(await node.guest.output('ls', '-A', '/mnt/pv')).toBe('');
  expect(await node.guest.output('dmsetup', 'ls')).toBe('No devices found');
});

/** Those of volumes, with their ids, as a process has them. */
async function mountsOf(pid: string): Promise<string> {
  const { stdout } = await node.guest.run(['grep', '/mnt/pv', `/proc/${pid}/mountinfo`]);
  return stdout.trim();
}

const mountUnits = async (): Promise<string> =>
  (await node.guest.run(['sh', '-c', 'cd /etc/systemd/system && ls | grep mnt-pv'])).stdout.trim();
