/** Every command that the job runs, with the real programs, and what was written before is read after. */
import { mkdir, mkdtemp, readFile, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandError, type CommandResult } from '../../src/kit/host/command.ts';
import {
  activate,
  type Command,
  changeTags,
  createPlain,
  createSnapshot,
  createThin,
  createThinPool,
  createThinSnapshot,
  extend,
  growFileSystem,
  luksAddKey,
  luksClose,
  luksErase,
  luksFormat,
  luksHeaderBackup,
  luksKillSlot,
  luksOpen,
  luksResize,
  luksTestKey,
  makeFileSystem,
  makeImmutable,
  makeMutable,
  mountAll,
  remove,
  rename,
  slotIn,
  unmount,
} from '../../src/lvm/commands.ts';
import { FILE_SYSTEMS, type FileSystem } from '../../src/lvm/contract.ts';
import type { LogicalVolume } from '../../src/lvm/facts.ts';
import { parseReport } from '../../src/lvm/fullreport.ts';
import { type FstabEntry, mountedAt, mountFailures, renderFstab } from '../../src/lvm/mounts.ts';
import { contentAt } from '../../src/lvm/signature.ts';
import { reported, twoDisks } from './lvm-worlds.ts';
import { host, MIB, run } from './machine.ts';

const MIBS = BigInt(MIB);
const GROUP = { vg: 'lab' };
const NOBODY = 'AAAAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAAAA';

describe('a plain volume', () => {
  it.each(FILE_SYSTEMS.filter((fsType) => fsType !== 'ext2'))(
    'is made, formatted with %s, mounted, grown and removed',
    async (fsType) => {
      await using lab = await aGroup(512 * MIB);
      const device = '/dev/lab/data';
      await exec(createPlain({ ...GROUP, name: 'data', bytes: 320n * MIBS + 1n, tags: ['a=1', 'b#2C'] }));
      expect(await volume('data')).toMatchObject({ kind: 'plain', sizeBytes: 324n * MIBS, tags: ['a=1', 'b#2C'] });
      expect(await contentAt(host, device)).toEqual({ known: true, value: undefined });
      await exec(makeFileSystem({ fsType, fsArgs: fsType === 'btrfs' ? ['-m', 'single'] : [], device }));
      expect(await contentAt(host, device)).toEqual({ known: true, value: fsType });
      const path = await lab.mounted({ source: device, fsType, options: ['noexec'] });
      const before = await bytesIn(path);
      await writeFile(join(path, 'file'), 'precious');
      await exec(extend({ ...GROUP, name: 'data', bytes: 400n * MIBS }));
      await exec(growFileSystem({ fsType, device, path }));
      expect((await bytesIn(path)) - before).toBeGreaterThan(60 * MIB);
      await exec(growFileSystem({ fsType, device, path }));
      await lab.remounted();
      expect(await readFile(join(path, 'file'), 'utf8')).toBe('precious');
      await expect(exec(remove(await volume('data')))).rejects.toThrow(/in use/);
      await lab.unmounted();
      await exec(remove(await volume('data')));
      expect(await names()).toEqual([]);
    },
  );

  it('with ext2 cannot be grown while it is mounted, where the kernel has a driver of its own for that', async () => {
    await using lab = await aGroup();
    const path = await lab.withFile('data', 16n, createPlain, 'ext2');
    await exec(extend({ ...GROUP, name: 'data', bytes: 32n * MIBS }));
    const grown = exec(growFileSystem({ fsType: 'ext2', device: '/dev/lab/data', path }));
    await expect(grown).rejects.toThrow(/Kernel does not support online resizing/);
    await lab.remounted();
    expect(await readFile(join(path, 'file'), 'utf8')).toBe('precious');
  });

  it('has no signature of what its disk was used for before', async () => {
    await using _ = await aGroup();
    await exec(createPlain({ ...GROUP, name: 'old', bytes: 16n * MIBS, tags: [] }));
    await exec(makeFileSystem({ fsType: 'ext4', fsArgs: [], device: '/dev/lab/old' }));
    await exec(remove(await volume('old')));
    await exec(createPlain({ ...GROUP, name: 'new', bytes: 16n * MIBS, tags: [] }));
    expect(await contentAt(host, '/dev/lab/new')).toEqual({ known: true, value: undefined });
  });

  it('is formatted over a filesystem that is there, and never where it is mounted', async () => {
    await using lab = await aGroup(512 * MIB);
    const device = '/dev/lab/data';
    await exec(createPlain({ ...GROUP, name: 'data', bytes: 320n * MIBS, tags: [] }));
    for (const fsType of FILE_SYSTEMS) {
      await exec(makeFileSystem({ fsType, fsArgs: [], device }));
      const path = await lab.mounted({ source: device, fsType, options: [] });
      await writeFile(join(path, 'file'), 'precious');
      await expect(exec(makeFileSystem({ fsType, fsArgs: [], device }))).rejects.toThrow(CommandError);
      await lab.remounted();
      expect(await readFile(join(path, 'file'), 'utf8')).toBe('precious');
      await lab.unmounted();
    }
  });
});

describe('the conditions of a command', () => {
  it('keep it from touching another volume than the one that was meant', async () => {
    await using _ = await aGroup();
    for (const name of ['one', 'other'])
      await exec(createPlain({ ...GROUP, name, bytes: 4n * MIBS, tags: ['state=new'] }));
    const [one, other] = [await volume('one'), await volume('other')];
    await exec(remove({ ...one, uuid: NOBODY }));
    await exec(remove({ ...one, uuid: other.uuid }));
    expect(await names()).toEqual(['one', 'other']);
    await exec(changeTags([one, { ...other, uuid: NOBODY }], { add: ['state=ready'], remove: ['state=new'] }));
    expect((await volume('one')).tags).toEqual(['state=ready']);
    expect((await volume('other')).tags).toEqual(['state=new']);
    await run('vgchange', '--activate', 'n', 'lab');
    await exec(activate([{ ...one, uuid: other.uuid }, other]));
    expect([(await volume('one')).isActive, (await volume('other')).isActive]).toEqual([false, true]);
    await exec(rename({ ...GROUP, name: 'one', to: 'renamed' }));
    expect(await names()).toEqual(['other', 'renamed']);
    const change = exec(changeTags([one, other], { add: ['c:d', 'e&f!'], remove: [] }));
    await expect(change).rejects.toThrow(/Failed to find logical volume "lab\/one"/);
    expect((await volume('renamed')).tags).toEqual(['state=ready']);
    expect((await volume('other')).tags).toEqual(['c:d', 'e&f!', 'state=new']);
  });
});

describe('a classic snapshot', () => {
  it('keeps what was there, is read-only, and keeps its origin from being removed', async () => {
    await using lab = await aGroup();
    const origin = await lab.withFile('data', 32n);
    await exec(createSnapshot({ ...GROUP, name: 'kept', origin: 'data', bytes: 16n * MIBS, tags: ['s=1'] }));
    expect(await volume('kept')).toMatchObject({ kind: 'snapshot', isReadOnly: true, isActive: true, tags: ['s=1'] });
    await writeFile(join(origin, 'file'), 'changed');
    await lab.remounted();
    const path = await lab.mounted({ source: '/dev/lab/kept', fsType: 'ext4', options: ['ro', 'noload'] });
    expect(await readFile(join(path, 'file'), 'utf8')).toBe('precious');
    await expect(exec(extend({ ...GROUP, name: 'data', bytes: 40n * MIBS }))).rejects.toThrow(/only while inactive/);
    await lab.unmounted();
    await exec(remove(await volume('data')));
    expect(await names()).toEqual(['data', 'kept']);
    await run('vgchange', '--activate', 'n', 'lab');
    await exec(activate([await volume('kept')]));
    expect([(await volume('data')).isActive, (await volume('kept')).isActive]).toEqual([true, true]);
    await exec(changeTags([await volume('kept')], { add: ['s=2'], remove: ['s=1'] }));
    expect((await volume('kept')).tags).toEqual(['s=2']);
    await exec(remove(await volume('kept')));
    await exec(remove(await volume('data')));
    expect(await names()).toEqual([]);
  });
});

describe('a thin volume', () => {
  it('is made in a pool, grown, snapped and removed, and its pool is not', async () => {
    await using lab = await aGroup();
    await exec(createThinPool({ ...GROUP, name: 'pool', bytes: 64n * MIBS, tags: ['p=1'] }));
    expect(await volume('pool')).toMatchObject({ kind: 'thin-pool', tags: ['p=1'], dataPercent: 0 });
    const path = await lab.withFile('data', 128n, (volume) => createThin({ ...volume, pool: 'pool' }));
    expect(await volume('data')).toMatchObject({ kind: 'thin', pool: 'pool', sizeBytes: 128n * MIBS, tags: ['t=1'] });
    await exec(createThinSnapshot({ ...GROUP, name: 'kept', origin: 'data', tags: ['s=1'] }));
    await writeFile(join(path, 'file'), 'changed');
    await exec(extend({ ...GROUP, name: 'data', bytes: 160n * MIBS }));
    await exec(growFileSystem({ fsType: 'ext4', device: '/dev/lab/data', path }));
    await lab.remounted();
    expect(await readFile(join(path, 'file'), 'utf8')).toBe('changed');
    await lab.unmounted();
    await exec(remove(await volume('pool')));
    await exec(remove(await volume('data')));
    expect(await names()).toEqual(['kept', 'pool']);
    await run('lvchange', '--setactivationskip', 'y', 'lab/kept');
    await run('vgchange', '--activate', 'n', 'lab');
    await exec(activate([await volume('kept')]));
    expect(await volume('kept')).toMatchObject({ isReadOnly: true, isActive: true, tags: ['s=1'] });
    const kept = await lab.mounted({ source: '/dev/lab/kept', fsType: 'ext4', options: ['ro', 'noload'] });
    expect(await readFile(join(kept, 'file'), 'utf8')).toBe('precious');
  });
});

describe('an encrypted volume', () => {
  it('keeps its data while its key is changed and it grows, and loses them when its slots are erased', async () => {
    await using lab = await aGroup(256 * MIB);
    const [key, newKey] = [Buffer.from([0, 10, 13, 255, 0x6f, 0x6c, 0x64]), Buffer.from('new\nand\0longer\n')];
    const device = '/dev/lab/data';
    await exec(createPlain({ ...GROUP, name: 'data', bytes: 64n * MIBS, tags: [] }));
    await exec(luksFormat({ device, key }));
    expect(await contentAt(host, device)).toEqual({ known: true, value: 'crypto_LUKS' });
    await exec(luksOpen({ device, key, name: 'opened' }));
    lab.undo.defer(async () => void (await host.exec(['cryptsetup', 'close', 'opened'], { successCodes: [0, 4] })));
    const opened = '/dev/mapper/opened';
    await exec(makeFileSystem({ fsType: 'ext4', fsArgs: [], device: opened }));
    const path = await lab.mounted({ source: opened, fsType: 'ext4', options: [] });
    await writeFile(join(path, 'file'), 'precious');

    expect(slotIn(await exec(luksTestKey({ device, key })))).toBe(0);
    expect(slotIn(await exec(luksTestKey({ device, key: newKey })))).toBeUndefined();
    await exec(luksAddKey({ device, key, newKey }));
    expect(slotIn(await exec(luksTestKey({ device, key: newKey })))).toBe(1);
    await expect(exec(luksKillSlot({ device, key, slot: 0 }))).rejects.toThrow(/No key available/);
    await exec(luksKillSlot({ device, key: newKey, slot: 0 }));
    expect(slotIn(await exec(luksTestKey({ device, key })))).toBeUndefined();

    const before = await bytesIn(path);
    await exec(extend({ ...GROUP, name: 'data', bytes: 128n * MIBS }));
    await exec(luksResize({ name: 'opened', key: newKey }));
    await exec(growFileSystem({ fsType: 'ext4', device: opened, path }));
    expect((await bytesIn(path)) - before).toBeGreaterThan(50 * MIB);

    await lab.unmounted();
    await exec(luksClose('opened'));
    await expect(exec(luksOpen({ device, key, name: 'opened' }))).rejects.toThrow(/No key available/);
    await exec(luksOpen({ device, key: newKey, name: 'opened' }));
    const again = await lab.mounted({ source: opened, fsType: 'ext4', options: [] });
    expect(await readFile(join(again, 'file'), 'utf8')).toBe('precious');
    await lab.unmounted();
    await exec(luksClose('opened'));

    const file = join(await mkdtemp('/run/header-'), 'header');
    await exec(luksHeaderBackup({ device, file }));
    await expect(exec(luksHeaderBackup({ device, file }))).rejects.toThrow(/already exists/);
    await exec(luksErase(device));
    expect(slotIn(await exec(luksTestKey({ device, key: newKey })))).toBeUndefined();
    await expect(exec(luksOpen({ device, key: newKey, name: 'opened' }))).rejects.toThrow(/No usable keyslot/);
  });
});

describe('mounting many at once', () => {
  it('tells of each that could not be mounted, and mounts the others', async () => {
    await using lab = await aGroup();
    const good = await lab.withFile('data', 16n);
    await lab.unmounted();
    const strange = join(await mkdtemp('/mnt/strange-'), 'a b#c\\d');
    await mkdir(strange);
    await exec(createPlain({ ...GROUP, name: 'blank', bytes: 4n * MIBS, tags: [] }));
    const entry = { fsType: 'ext4', options: ['noexec'] };
    const entries = [
      { ...entry, source: '/dev/lab/data', path: strange },
      { ...entry, source: '/dev/lab/blank', path: good },
      { ...entry, source: '/dev/lab/none', path: '/mnt' },
      { ...entry, source: '/dev/lab/data', path: '/mnt/none' },
    ];
    const fstab = await aTable(entries);
    lab.undo.defer(async () => void (await run('umount', strange)));
    const { code, stderr } = await exec(mountAll(fstab));
    expect(code).toBe(64);
    const { byPath, others } = mountFailures(
      stderr,
      entries.map(({ path }) => path),
    );
    expect(others).toEqual([]);
    expect([...byPath.entries()]).toEqual([
      [good, expect.stringMatching(/wrong fs type/)],
      ['/mnt', expect.stringMatching(/\/dev\/lab\/none does not exist/)],
      ['/mnt/none', expect.stringMatching(/mount point does not exist/)],
    ]);
    const { device = '0:0' } = await volume('data');
    expect(mountedAt(await host.tables.mounts(), strange, device).kind).toBe('ours');
    expect(await readFile(join(strange, 'file'), 'utf8')).toBe('precious');
    expect((await exec(mountAll(fstab))).code).toBe(32);
    expect(mountedAt(await host.tables.mounts(), strange, device).kind).toBe('ours');
  });

  it('upon what somebody else has mounted there is what mount does, and it is seen', async () => {
    await using lab = await aGroup();
    const path = await lab.withFile('data', 16n);
    await lab.unmounted();
    await run('mount', '-t', 'tmpfs', 'somebody', path);
    lab.undo.defer(async () => void (await run('umount', path)));
    const { device = '0:0' } = await volume('data');
    expect(mountedAt(await host.tables.mounts(), path, device).kind).toBe('other');
    await lab.mountedAt(path, { source: '/dev/lab/data', fsType: 'ext4', options: [] });
    expect(mountedAt(await host.tables.mounts(), path, device).kind).toBe('stacked');
    await lab.unmounted();
    expect(mountedAt(await host.tables.mounts(), path, device).kind).toBe('other');
  });

  it('that is in use is not unmounted', async () => {
    await using lab = await aGroup();
    const path = await lab.withFile('data', 16n);
    await run('mount', '-t', 'tmpfs', 'somebody', await directoryIn(path));
    await expect(exec(unmount(path))).rejects.toThrow(/target is busy/);
    await run('umount', join(path, 'directory'));
  });
});

describe('a bare mount point', () => {
  it('takes no files while it is immutable, but a mount', async () => {
    await using lab = await aGroup();
    const path = await mkdtemp('/run/bare-');
    await exec(makeImmutable([path]));
    await expect(writeFile(join(path, 'file'), 'lost')).rejects.toThrow(/EPERM/);
    await lab.withFile('data', 16n);
    await lab.unmounted();
    await lab.mountedAt(path, { source: '/dev/lab/data', fsType: 'ext4', options: [] });
    await writeFile(join(path, 'another'), 'kept');
    await lab.unmounted();
    await exec(makeMutable(path));
    await writeFile(join(path, 'file'), '');
  });
});

const exec = ({ argv, options }: Command): Promise<CommandResult> => host.exec(argv, options);

async function volumes(): Promise<ReadonlyMap<string, LogicalVolume>> {
  return parseReport(await reported()).groups.get('lab')?.volumes ?? new Map();
}

const names = async (): Promise<readonly string[]> => [...(await volumes()).keys()].sort();

async function volume(name: string): Promise<LogicalVolume> {
  const found = (await volumes()).get(name);
  if (!found) throw new Error(`there is no logical volume ${name}`);
  return found;
}

const bytesIn = async (path: string): Promise<number> => {
  const { blocks, bsize } = await statfs(path);
  return blocks * bsize;
};

async function directoryIn(path: string): Promise<string> {
  const directory = join(path, 'directory');
  await mkdir(directory);
  return directory;
}

async function aTable(entries: readonly FstabEntry[]): Promise<string> {
  const path = join(await mkdtemp('/run/table-'), 'fstab');
  await writeFile(path, renderFstab(entries));
  return path;
}

type Unplaced = Omit<FstabEntry, 'path'>;

/** The volume group `lab`, and what of it is mounted. */
class Lab implements AsyncDisposable {
  readonly undo = new AsyncDisposableStack();
  #mounts: readonly FstabEntry[] = [];

  async mounted(entry: Unplaced): Promise<string> {
    return await this.mountedAt(await mkdtemp('/mnt/volume-'), entry);
  }

  async mountedAt(path: string, entry: Unplaced): Promise<string> {
    await this.#mount([{ ...entry, path }]);
    return path;
  }

  async unmounted(): Promise<void> {
    const mounts = this.#mounts;
    this.#mounts = [];
    for (const { path } of mounts.toReversed()) await exec(unmount(path));
  }

  /** So that it is read from its device. */
  async remounted(): Promise<void> {
    const mounts = this.#mounts;
    await this.unmounted();
    await this.#mount(mounts);
  }

  /** Mounts a volume with a file in it. */
  async withFile(name: string, mibs: bigint, make = createPlain, fsType: FileSystem = 'ext4'): Promise<string> {
    await exec(make({ ...GROUP, name, bytes: mibs * MIBS, tags: ['t=1'] }));
    await exec(makeFileSystem({ fsType, fsArgs: [], device: `/dev/lab/${name}` }));
    const path = await this.mounted({ source: `/dev/lab/${name}`, fsType, options: [] });
    await writeFile(join(path, 'file'), 'precious');
    await this.remounted();
    return path;
  }

  async #mount(entries: readonly FstabEntry[]): Promise<void> {
    expect(await exec(mountAll(await aTable(entries)))).toMatchObject({ code: 0, stderr: '' });
    this.#mounts = [...this.#mounts, ...entries];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.unmounted();
    await this.undo.disposeAsync();
  }
}

async function aGroup(diskBytes?: number): Promise<Lab> {
  await using setUp = new AsyncDisposableStack();
  const { one } = setUp.use(await twoDisks(diskBytes));
  await run('vgcreate', '--yes', '--setautoactivation', 'n', 'lab', one);
  const lab = new Lab();
  const disks = setUp.move();
  lab.undo.defer(() => disks.disposeAsync());
  return lab;
}
