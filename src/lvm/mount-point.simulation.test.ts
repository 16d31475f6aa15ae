/** Somebody has files in the directory that a volume is mounted at, or mounts something over the directory above. */
import { describe, expect, it } from 'vitest';
import { pathOf, SimulatedNode } from './simulated-node.ts';

const VOLUME = 'data';
const FILE = `${pathOf(VOLUME)}/notes.txt`;

function putFile({ machine }: SimulatedNode): void {
  machine.tree.mkdir(pathOf(VOLUME));
  machine.tree.write(FILE, Buffer.from('needed'));
}

it('a new volume does not hide them, says so, and is mounted when they are gone', async () => {
  const node = new SimulatedNode();
  putFile(node);
  node.declare(VOLUME);
  await node.rest();
  expect(node.contentOf(VOLUME)).toBeUndefined();
  expect(node.says(VOLUME, 'message')).toContain('mountPointIsNotEmpty');
  expect(node.fileSystems.immutable.has(pathOf(VOLUME))).toBe(false);
  node.machine.tree.remove(FILE);
  await node.rest();
  expect(node.contentOf(VOLUME)).toBeDefined();
});

it.each(['before', 'after'] as const)(
  'a volume that somebody else mounts just %s its mount point is protected can be written to',
  async (when) => {
    const node = new SimulatedNode();
    node.declare(VOLUME);
    await node.rest();
    node.kill();
    node.reboot();
    const { run = () => ({}) } = node.machine.programs.get('chattr') ?? {};
    const mountIt = () => {
      const device = node.lv(VOLUME)?.mapped?.number;
      const isMounted = node.machine.mounts.some(({ mountPoint }) => mountPoint === pathOf(VOLUME));
      if (device && !isMounted) node.machine.mount({ device, mountPoint: pathOf(VOLUME), options: ['rw', 'noexec'] });
    };
    node.machine.install('chattr', async (call) => {
      if (when === 'before') mountIt();
      const reply = await run(call);
      mountIt();
      return reply;
    });
    await node.rest();
    expect(node.says(VOLUME, 'status')).toBe('Processed');
    expect(node.contentOf(VOLUME)?.isImmutable).toBe(false);
    expect(node.machine.mounts).toHaveLength(1);
  },
);

it('a directory above it that is a link is told: the kernel, LVM and systemd know it by another name', async () => {
  const node = new SimulatedNode();
  const { tree } = node.machine;
  tree.mkdir('/data/pv');
  tree.remove('/mnt/pv');
  tree.symlink('/data/pv', '/mnt/pv');
  node.declare(VOLUME);
  await node.rest();
  expect(node.says(VOLUME, 'message')).toContain('/mnt/pv is a symbolic link');
  expect(node.machine.mounts).toEqual([]);
});

it('a volume that was ready before is mounted all the same, and they stay when it is deleted', async () => {
  const node = new SimulatedNode();
  node.declare(VOLUME);
  await node.rest();
  node.kill();
  node.reboot();
  putFile(node);
  await node.rest();
  expect(node.contentOf(VOLUME)).toBeDefined();
  node.delete(VOLUME);
  await node.rest();
  expect(node.cluster.volume(VOLUME)).toBeUndefined();
  expect(node.lv(VOLUME)).toBeUndefined();
  expect(node.machine.tree.list(pathOf(VOLUME))).toEqual(['notes.txt']);
  expect(node.fileSystems.immutable.has(pathOf(VOLUME))).toBe(true);
});

describe('a filesystem that somebody mounts over the mount base', () => {
  const RESYNC_MS = 600_000;

  async function covered(where: string): Promise<SimulatedNode> {
    const node = new SimulatedNode();
    node.declare(VOLUME);
    await node.rest();
    node.write(VOLUME);
    node.fileSystems.mountForeign(where);
    return node;
  }

  it.each(['/mnt/pv', '/mnt'])(
    'at %s is told on every volume, nothing is made in it, and all goes on without it',
    async (where) => {
      const node = await covered(where);
      const calls = node.machine.calls.length;
      node.declare('another');
      await node.pass(RESYNC_MS);
      await node.rest();
      for (const name of [VOLUME, 'another']) {
        expect(node.says(name, 'status')).toBe('Not-Processed-Errors');
        expect(node.says(name, 'message')).toContain(`somebody is mounted at ${where}, over`);
        expect(node.says(name, 'message')).toContain('mountBaseIsCovered');
      }
      expect(node.machine.mounts).toHaveLength(2);
      const since = node.machine.calls.slice(calls);
      expect(since.filter(({ verb }) => ['mkdir', 'remove'].includes(verb))).toEqual([]);
      expect(node.lv('another')).toBeUndefined();
      node.fileSystems.unmount(where);
      await node.rest();
      for (const name of [VOLUME, 'another']) expect(node.says(name, 'status')).toBe('Processed');
      expect(node.violations).toEqual([]);
    },
  );

  it('keeps a volume that is deleted until it is gone', async () => {
    const node = await covered('/mnt/pv');
    const calls = node.machine.calls.length;
    node.delete(VOLUME);
    await node.rest();
    expect(node.says(VOLUME, 'message')).toContain('mountBaseIsCovered');
    expect(node.commandsSince(calls).map(([program]) => program)).not.toContain('umount');
    expect(node.machine.tree.list('/mnt/pv')).toEqual([VOLUME]);
    node.fileSystems.unmount('/mnt/pv');
    await node.rest();
    expect([node.lv(VOLUME), node.cluster.volume(VOLUME)]).toEqual([undefined, undefined]);
    expect(node.machine.tree.list('/mnt/pv')).toEqual([]);
    expect(node.violations).toEqual([]);
  });

  it('before any volume is mounted is where volumes are mounted', async () => {
    const node = new SimulatedNode();
    node.fileSystems.mountForeign('/mnt/pv');
    node.declare(VOLUME);
    await node.rest();
    expect(node.says(VOLUME, 'status')).toBe('Processed');
    await node.pass(RESYNC_MS);
    await node.rest();
    expect([node.says(VOLUME, 'status'), node.contentOf(VOLUME)?.isWhole]).toEqual(['Processed', true]);
  });
});
