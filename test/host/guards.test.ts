/** Every guard with the real thing: what the kernel, libblkid and /proc really say of a device that somebody uses. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readlink, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hold } from '../../src/devices/held.ts';
import type { RefusalFact } from '../../src/devices/refusals.ts';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { realHost } from '../../src/kit/host/host.ts';
import { type JudgeOptions, judged } from './guards-judged.ts';
import { aStranger } from './guards-stranger.ts';
import { aLoopDevice, aLoopDeviceOver, type LoopDevice } from './loop-device.ts';

const MIB = 2 ** 20;
const host = realHost({ clock: systemClock });

describe('a device on which there is nothing', () => {
  it('and that nobody uses may be wiped', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const { refusal, observed } = await lookInPeace(loop);
    expect(refusal).toBeUndefined();
    expect(observed).toMatchObject({ isHeld: true, isBlank: true, signature: { known: true, value: undefined } });
  });

  it('of one block may be wiped', async () => {
    await using loop = await aLoopDevice(512);
    expect((await lookInPeace(loop)).refusal).toBeUndefined();
  });

  it('that can be recognised may be wiped, and it is seen that something is there', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    await put(loop, 3 * MIB, Buffer.from('records of a database that writes raw'));
    const { refusal, observed } = await lookInPeace(loop);
    expect(refusal).toBeUndefined();
    expect(observed).toMatchObject({ isBlank: false, signature: { known: true, value: undefined } });
  });
});

describe('a device that is in use is not wiped:', () => {
  it('mounted', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const at = await mounted(loop, await formatted(loop));
    await expectRefusal(loop, { fact: 'isMounted', at, under: '' });
  });

  it('a partition of it mounted', async () => {
    await using loop = await aLoopDevice(32 * MIB);
    const part = await partitioned(loop);
    const at = await mounted(loop, await formatted(loop, part));
    await expectRefusal(loop, { fact: 'isMounted', at, under: basename(part) });
  });

  it('the disk mounted that it is a partition of', async () => {
    await using loop = await aLoopDevice(32 * MIB);
    const part = await partitioned(loop);
    const at = await mounted(loop, await formatted(loop));
    await expectRefusal(loop, { fact: 'isMounted', at, under: basename(loop.path) }, { path: part });
  });

  it('mounted in another mount namespace only', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    await formatted(loop);
    await using _stranger = await aStranger('mount "$1" "$2"', [loop.path, loop.directory], 'unshare', '--mount');
    expect(await host.tables.mounts()).not.toContainEqual(expect.objectContaining({ source: loop.path }));
    await expectRefusal(loop, { fact: 'isHeldExclusively', under: '' });
  });

  it('a filesystem on several devices mounted by another of them', async () => {
    await using one = await aLoopDevice(128 * MIB);
    await using other = await aLoopDevice(128 * MIB);
    await run('mkfs.btrfs', '-q', one.path, other.path);
    const at = await mounted(other, one.path);
    await expectRefusal(one, { fact: 'isMounted', at, under: '' });
    await expectRefusal(other, { fact: 'isHeldExclusively', under: '' });
  });

  it('swap', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    await swappedTo(loop, loop.path);
    expect((await judged(loop.path)).refusal).toMatchObject({ fact: 'isSwap', under: '' }); // the kernel may write to it meanwhile
  });

  it('a partition of it swap', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const part = await partitioned(loop);
    await swappedTo(loop, part);
    expect((await judged(loop.path)).refusal).toMatchObject({ fact: 'isSwap', under: basename(part) });
  });

  it('open raw for writing, which the kernel does not keep us from', async () => {
    await using loop = await aLoopDevice(MIB);
    await using stranger = await aStranger('exec 3<>"$1"', [loop.path]);
    await expectRefusal(loop, { fact: 'isOpen', by: [`process ${stranger.pid} (sleep)`] });
  });

  it('open only for reading', async () => {
    await using loop = await aLoopDevice(MIB);
    await using stranger = await aStranger('exec 3<"$1"', [loop.path]);
    await expectRefusal(loop, { fact: 'isOpen', by: [`process ${stranger.pid} (sleep)`] });
  });

  it('open in another mount namespace, by another device node', async () => {
    await using loop = await aLoopDevice(MIB);
    const [major = '', minor = ''] = (await numberOf(loop.path)).split(':');
    const script = 'mount -t tmpfs none "$1"; mknod "$1/node" b "$2" "$3"; exec 3<>"$1/node"';
    const parameters = [loop.directory, major, minor];
    await using stranger = await aStranger(script, parameters, 'unshare', '--mount');
    expect(await host.files.stat(join(loop.directory, 'node'))).toBeUndefined();
    await expectRefusal(loop, { fact: 'isOpen', by: [`process ${stranger.pid} (sleep)`] });
  });

  it('a partition of it, or the disk that it is a partition of, open', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const part = await partitioned(loop);
    for (const [opened, path] of [
      [part, loop.path],
      [loop.path, part],
    ] as const) {
      await using _stranger = await aStranger('exec 3<>"$1"', [opened]);
      await expectRefusal(loop, { fact: 'isOpen' }, { path });
    }
    await expectNone(loop, { path: part });
  });

  it('held by another agent', async () => {
    await using loop = await aLoopDevice(MIB);
    const other = await hold(realHost({ clock: systemClock }), loop.path, 'read-write');
    if ('refusal' in other) throw new Error('it could not be held');
    {
      await using _device = other.device;
      await expectRefusal(loop, { fact: 'isOpen', by: [expect.stringContaining(`process ${process.pid} `)] });
    }
    await expectNone(loop);
  });

  it('behind another loop device, as the kubelet puts one on every raw volume', async () => {
    await using loop = await aLoopDevice(MIB);
    const link = join(loop.directory, 'volume device');
    await symlink(loop.path, link);
    await using upper = await aLoopDeviceOver(link);
    await expectRefusal(loop, { fact: 'isBehindALoopDevice', loop: basename(upper.path), under: '' });
  });

  it('the disk that it is a partition of behind another loop device', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const part = await partitioned(loop);
    await using upper = await aLoopDeviceOver(loop.path);
    const refusal = { fact: 'isBehindALoopDevice', loop: basename(upper.path), under: basename(loop.path) } as const;
    await expectRefusal(loop, refusal, { path: part });
  });

  it('a loop device on a device that is open, although the loop device is not', async () => {
    await using lower = await aLoopDevice(16 * MIB);
    await using upper = await aLoopDeviceOver(lower.path);
    await expectNone(lower, { path: upper.path });
    await using _stranger = await aStranger('exec 3<>"$1"', [lower.path]);
    await expectRefusal(lower, { fact: 'isOpen' }, { path: upper.path });
  });

  it('a loop device on a device that is mounted in another mount namespace', async () => {
    await using lower = await aLoopDevice(16 * MIB);
    await formatted(lower);
    await using upper = await aLoopDeviceOver(lower.path);
    await using _stranger = await aStranger('mount "$1" "$2"', [lower.path, lower.directory], 'unshare', '--mount');
    const refusal = { fact: 'isHeldExclusively', under: basename(lower.path) } as const;
    await expectRefusal(lower, refusal, { path: upper.path });
  });

  it('the same file mounted through another loop device', async () => {
    await using one = await aLoopDevice(16 * MIB);
    const at = await mounted(one, await formatted(one));
    await using other = await aLoopDeviceOver(one.backing);
    await expectRefusal(one, { fact: 'isMounted', at, under: basename(one.path) }, { path: other.path });
  });
});

describe('what is unknown is not wiped:', () => {
  /** Where process 1 can be looked at, nothing is unknown and no trust is needed. Which of both it is here is printed. */
  it('a device that process 1 may have open, unless process 1 is trusted', async () => {
    await using loop = await aLoopDevice(MIB);
    const isSeen = await isInitSeen();
    console.log(`process 1 ${isSeen ? 'can' : 'cannot'} be looked at here`);
    if (isSeen) await expectNone(loop, { trustInit: false });
    else
      await expectRefusal(
        loop,
        { fact: 'useIsUnknown', why: [expect.stringMatching(/^descriptors of process 1 /)] },
        { trustInit: false },
      );
    await expectNone(loop, { trustInit: true });
  });

  it.each([
    [
      'may not look at the descriptors of others',
      ['setpriv', '--bounding-set', '-sys_ptrace', '--inh-caps', '-sys_ptrace'],
      /CAP_SYS_PTRACE/,
    ],
    ['has process ids of its own', ['unshare', '--pid', '--fork', '--mount-proc'], /hostPID/],
  ])('a device, if the agent %s', async (_, wrapper, why) => {
    await using loop = await aLoopDevice(MIB);
    const before = await hashOf(loop);
    const program = fileURLToPath(new URL('guards-judged.ts', import.meta.url));
    const { stdout } = await host.exec([...wrapper, process.execPath, program, loop.path]);
    expect(JSON.parse(stdout)).toEqual({
      fact: 'useIsUnknown',
      why: expect.arrayContaining([expect.stringMatching(why)]),
    });
    expect(await hashOf(loop)).toBe(before);
  });

  it('any device, while nobody knows what a loop device is on', async () => {
    await using loop = await aLoopDevice(MIB);
    await using other = await aLoopDevice(MIB);
    await rm(other.backing);
    const why = [expect.stringMatching(`what is behind ${basename(other.path)} cannot be seen`)];
    await expectRefusal(loop, { fact: 'useIsUnknown', why: expect.arrayContaining(why) });
  });

  it('a device, if blkid is not installed', async () => {
    await using loop = await aLoopDevice(MIB);
    const without = realHost({ clock: systemClock, path: [loop.directory] });
    await expectRefusal(
      loop,
      { fact: 'contentIsUnknown', why: expect.stringMatching(/Install blkid/) },
      { host: without },
    );
  });
});

describe('what is no device to write to is not wiped:', () => {
  it('a regular file, a directory, a link to a file', async () => {
    await using directory = await aDirectory();
    const file = join(directory.path, 'file');
    await writeFile(file, 'a letter');
    await symlink(file, join(directory.path, 'link'));
    for (const path of [file, directory.path, join(directory.path, 'link'), '/dev/null'])
      expect((await judged(path)).refusal).toEqual({ fact: 'isNotABlockDevice' });
  });

  it('a device that is read-only', async () => {
    await using loop = await aLoopDevice(MIB);
    await run('blockdev', '--setro', loop.path);
    loop.undo.defer(() => run('blockdev', '--setrw', loop.path));
    await expectRefusal(loop, { fact: 'isReadOnly' });
  });

  it('an extended partition, whose table others need', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const table = ['label: dos', 'start=2048, size=16384, type=5', 'start=4096, size=8192', ''].join('\n');
    await host.exec(['sfdisk', '--quiet', '--no-reread', '--no-tell-kernel', loop.path], { input: table });
    await run('addpart', loop.path, '1', '2048', '2');
    loop.undo.defer(() => run('delpart', loop.path, '1'));
    const options = { path: `${loop.path}p1`, purpose: { wipeExisting: true } };
    await expectRefusal(loop, { fact: 'isAnExtendedPartition' }, options);
  });

  it('a device outside the directory', async () => {
    await using loop = await aLoopDevice(MIB);
    const deviceDir = '/dev/disk/by-path';
    await expectRefusal(loop, { fact: 'isOutsideTheDeviceDirectory', deviceDir }, { purpose: { deviceDir } });
  });
});

describe('a path', () => {
  it('that leads to another device once the first is held changes nothing', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    await using inUse = await aLoopDevice(16 * MIB);
    await mounted(inUse, await formatted(inUse));
    const link = await aLink(loop, loop.path);
    const before = [await hashOf(loop), await hashOf(inUse)];
    const { refusal, observed } = await judged(link, { whileHeld: () => relink(link, inUse.path) });
    expect(await readlink(link)).toBe(inUse.path);
    expect(refusal).toBeUndefined();
    expect(observed?.facts.number).toBe(await numberOf(loop.path));
    expect([await hashOf(loop), await hashOf(inUse)]).toEqual(before);
  });

  it('that leads to another device before it is held is judged by that one', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    await using inUse = await aLoopDevice(16 * MIB);
    const at = await mounted(inUse, await formatted(inUse));
    const link = await aLink(loop, loop.path);
    await expectNone(loop, { path: link });
    await relink(link, inUse.path);
    await expectRefusal(inUse, { fact: 'isMounted', at, under: '' }, { path: link });
    await relink(link, loop.backing);
    await expectRefusal(loop, { fact: 'isNotABlockDevice' }, { path: link });
  });
});

describe('a volume', () => {
  it('whose device has shrunk is not recycled', async () => {
    await using loop = await aLoopDevice(4 * MIB);
    const recycles = recycled(4 * MIB);
    await expectNone(loop, { purpose: { recycles } });
    await truncate(loop.backing, MIB);
    await run('losetup', '--set-capacity', loop.path);
    await expectRefusal(
      loop,
      { fact: 'isAnotherDevice' },
      { purpose: { recycles, approved: new Set(['isAnotherDevice']) } },
    );
  });

  it('whose device shrinks while it is held is not recycled', async () => {
    await using loop = await aLoopDevice(4 * MIB);
    const whileHeld = async () => {
      await truncate(loop.backing, MIB);
      await run('losetup', '--set-capacity', loop.path);
    };
    const { refusal } = await judged(loop.path, { whileHeld, purpose: { recycles: recycled(4 * MIB) } });
    expect(refusal).toMatchObject({ fact: 'isAnotherDevice' });
  });

  it('keeps its device from becoming another one by another path, by its partition or by its disk', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    const part = await partitioned(loop);
    const link = await aLink(loop, loop.path);
    const volumes = (path: string) => [{ name: 'local-n1-other', path }];
    for (const [path, other] of [
      [loop.path, link],
      [loop.path, part],
      [part, link],
    ] as const)
      await expectRefusal(
        loop,
        { fact: 'isUsedByAnotherVolume', volume: 'local-n1-other', path: other },
        { path, volumes: volumes(other) },
      );
    await expectNone(loop, { volumes: volumes('/dev/null') });
    await expectNone(loop, { volumes: volumes(join(loop.directory, 'nothing')) });
  });

  it('keeps the loop device that the kubelet put on it from becoming another one', async () => {
    await using lower = await aLoopDevice(16 * MIB);
    await using upper = await aLoopDeviceOver(lower.path);
    const volumes = [{ name: 'local-n1-lower', path: lower.path }];
    await expectRefusal(lower, { fact: 'isUsedByAnotherVolume' }, { path: upper.path, volumes });
  });

  it('does not keep the other partitions of its disk', async () => {
    await using loop = await aLoopDevice(32 * MIB);
    const part = await partitioned(loop);
    const other = await partitioned(loop, 2, 8 * MIB);
    const at = await mounted(loop, await formatted(loop, other));
    await expectNone(loop, { path: part, volumes: [{ name: 'local-n1-other', path: other }] });
    await expectRefusal(loop, { fact: 'isMounted', at, under: '' }, { path: other });
  });
});

describe('data that nobody knows', () => {
  it.each<[string, number, string, (path: string, loop: LoopDevice) => Promise<void>]>([
    ['ext4', 16, 'ext4', (path) => run('mkfs.ext4', '-q', path)],
    ['xfs', 320, 'xfs', (path) => run('mkfs.xfs', '-q', path)],
    ['btrfs', 128, 'btrfs', (path) => run('mkfs.btrfs', '-q', path)],
    ['swap', 16, 'swap', (path) => run('mkswap', path)],
    ['LVM', 16, 'LVM2_member', (path) => run('pvcreate', '--quiet', path)],
    ['LUKS', 32, 'crypto_LUKS', encrypted],
    ['GPT', 16, 'a partition table (gpt)', (path) => labelled(path, 'gpt')],
    ['MBR', 16, 'a partition table (dos)', (path) => labelled(path, 'dos')],
    ['RAID', 16, 'linux_raid_member', (_, loop) => put(loop, 4096, raidSuperblock())],
    ['ZFS', 64, 'zfs_member', async (_, loop) => zfs(loop)],
    ['Ceph', 16, 'ceph_bluestore', (_, loop) => put(loop, 0, Buffer.from('bluestore block device\n'))],
    ['two of them', 16, 'several kinds of data at once', twoKinds],
  ])('is seen and not wiped: %s', async (_, mib, what, make) => {
    await using loop = await aLoopDevice(mib * MIB);
    await make(loop.path, loop);
    await expectRefusal(loop, { fact: 'hasForeignData', what });
    const purpose = { wipeExisting: true };
    await expectNone(loop, { purpose });
  });

  it('is not what the table of its disk says about an empty partition', async () => {
    await using loop = await aLoopDevice(32 * MIB);
    await labelled(loop.path, 'gpt');
    const part = await partitioned(loop);
    await expectNone(loop, { path: part });
    await formatted(loop, part);
    await expectRefusal(loop, { fact: 'hasForeignData', what: 'ext4' }, { path: part });
  });

  it('is a boot loader, which has no signature and is known by the table of its disk', async () => {
    await using loop = await aLoopDevice(32 * MIB);
    await labelled(loop.path, 'gpt', ', type=21686148-6449-6E6F-744E-656564454649');
    const part = await partitioned(loop);
    await expectRefusal(loop, { fact: 'hasForeignData', what: 'a boot loader' }, { path: part });
  });

  it('is recognised whatever its label says', async () => {
    await using loop = await aLoopDevice(16 * MIB);
    await run('mkfs.ext4', '-q', '-L', 'a\nTYPE=xfs', loop.path);
    await expectRefusal(loop, { fact: 'hasForeignData', what: 'ext4' });
  });
});

type Expected = { readonly fact: RefusalFact; readonly [key: string]: unknown };
type Looking = JudgeOptions & { readonly path?: string };

/** Judges, and sees that nothing on it has changed by that. */
async function lookAt(loop: LoopDevice, { path = loop.path, ...options }: Looking = {}) {
  const before = await hashOf(loop);
  const answer = await judged(path, options);
  expect(await hashOf(loop)).toBe(before);
  return answer;
}

/** On a machine on which others start and end, some of them cannot be looked at in that moment: rightly, nothing is known then. */
async function lookInPeace(loop: LoopDevice, options?: Looking) {
  for (let tries = 1; ; tries++) {
    const answer = await lookAt(loop, options);
    if (answer.refusal?.fact !== 'useIsUnknown' || tries === MOST_TRIES) return answer;
  }
}

const MOST_TRIES = 20;

async function expectRefusal(loop: LoopDevice, refusal: Expected, options?: Looking): Promise<void> {
  expect((await lookAt(loop, options)).refusal).toMatchObject(refusal);
}

async function expectNone(loop: LoopDevice, options?: Looking): Promise<void> {
  expect((await lookInPeace(loop, options)).refusal).toBeUndefined();
}

/** Of what is behind it, which is where its bytes are. What is mounted is written out first, so that it comes to rest. */
async function hashOf({ backing }: LoopDevice): Promise<string> {
  await run('sync');
  const hash = createHash('sha256');
  await pipeline(createReadStream(backing, { highWaterMark: 4 * MIB }), hash);
  return hash.digest('hex');
}

async function isInitSeen(): Promise<boolean> {
  const { unseen } = await host.tables.openDevices();
  return !unseen.some((one) => one.kind === 'process' && one.pid === 1);
}

async function numberOf(path: string): Promise<string> {
  const number = (await host.files.stat(path))?.device;
  if (!number) throw new Error(`${path} is no device`);
  return number;
}

const recycled = (sizeBytes: number) => ({
  name: 'local-n1-a',
  uid: 'uid-1',
  resourceVersion: '20',
  claim: 'claim-1',
  volumeMode: 'Block' as const,
  identity: { sizeBytes },
  isYoungerThanTheLedger: false,
});

/** Without anything that the kernel would write later, by itself. */
async function formatted(loop: LoopDevice, path = loop.path): Promise<string> {
  await run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', path);
  return path;
}

async function mounted(loop: LoopDevice, path: string): Promise<string> {
  const mountPoint = join(loop.directory, 'mnt');
  await mkdir(mountPoint);
  await run('mount', path, mountPoint);
  loop.undo.defer(() => run('umount', mountPoint));
  return mountPoint;
}

async function swappedTo(loop: LoopDevice, path: string): Promise<void> {
  await run('mkswap', path);
  await run('swapon', path);
  loop.undo.defer(() => run('swapoff', path));
}

/** A partition of 7 MiB. */
async function partitioned(loop: LoopDevice, index = 1, startBytes = MIB): Promise<string> {
  await run('addpart', loop.path, `${index}`, `${startBytes / 512}`, `${(7 * MIB) / 512}`);
  loop.undo.defer(() => run('delpart', loop.path, `${index}`));
  return `${loop.path}p${index}`;
}

async function labelled(path: string, label: 'gpt' | 'dos', more = ''): Promise<void> {
  const table = `label: ${label}\nstart=2048, size=${(7 * MIB) / 512}${more}\n`;
  await host.exec(['sfdisk', '--quiet', '--no-reread', '--no-tell-kernel', path], { input: table });
}

async function encrypted(path: string): Promise<void> {
  const quickly = ['--batch-mode', '--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', '1000'];
  await host.exec(['cryptsetup', 'luksFormat', ...quickly, '--key-file', '-', path], { input: 'a passphrase' });
}

/** The superblock of md, version 1.2: its magic number, its version, and where it is. No kernel driver is needed to look like one. */
function raidSuperblock(): Buffer {
  const block = Buffer.alloc(1024);
  block.writeUInt32LE(0xa92b4efc, 0);
  block.writeUInt32LE(1, 4);
  block.writeBigUInt64LE(8n, 144);
  return block;
}

/** The uberblocks in the first label of a ZFS pool, of which blkid wants four. */
async function zfs(loop: LoopDevice): Promise<void> {
  const uberblock = Buffer.alloc(1024);
  uberblock.writeBigUInt64LE(0x00bab10cn, 0);
  for (let i = 0; i < 8; i++) await put(loop, 128 * 1024 + i * 1024, uberblock);
}

async function twoKinds(path: string, loop: LoopDevice): Promise<void> {
  await run('mkfs.ext4', '-q', path);
  await put(loop, 4086, Buffer.from('SWAPSPACE2'));
  await put(loop, 1024, Buffer.from([1, 0, 0, 0, 255, 0, 0, 0]));
}

async function put(loop: LoopDevice, position: number, bytes: Buffer): Promise<void> {
  await using device = await open(loop.path, 'r+');
  await device.write(bytes, 0, bytes.length, position);
  await device.sync();
}

async function aLink(loop: LoopDevice, target: string): Promise<string> {
  const link = join(loop.directory, 'link');
  await symlink(target, link);
  return link;
}

async function relink(link: string, target: string): Promise<void> {
  await symlink(target, `${link}.new`);
  await rename(`${link}.new`, link);
}

async function aDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'guards-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

async function run(...argv: string[]): Promise<void> {
  await host.exec(argv);
}
