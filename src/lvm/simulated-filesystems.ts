/** For tests: the programs of a simulated machine that make, check, grow, mount and encrypt filesystems on its volumes. */
import { FileError } from '../kit/host/file-error.ts';
import { MountTree } from '../kit/host/mount-tree.ts';
import type { Mount } from '../kit/host/mounts.ts';
import type { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { FILE_SYSTEMS } from './contract.ts';
import { UNITS, WANTED } from './mount-units.ts';
import { type FstabEntry, parseFstab } from './mounts.ts';
import { Content, isHeld, type Mapped } from './simulated-devices.ts';
import type { SimulatedLvm } from './simulated-lvm.ts';
import { type Call, Failure, parse, type Reply, type Takes } from './simulated-programs.ts';
import { EXTENT } from './simulated-volumes.ts';

/** A filesystem is made in two halves: after the first it can be recognised, and is not whole. That of btrfs only when it is. */
export const HALF_OF_MKFS_MS = 2_000;
/** A header, and then the slot with the key. */
const HALF_OF_LUKS_FORMAT_MS = 2_000;
const DERIVATION_MS = 500;
const CHECK_MS = 500;
const HEADER_BYTES = 4n * EXTENT;

export class SimulatedFileSystems {
  /** Directories of the node itself in which nothing can be made. */
  readonly immutable = new Set<string>();
  /** Mount points below which somebody has a file open. */
  readonly held = new Set<string>();
  readonly #lvm: SimulatedLvm;
  readonly #machine: SimulatedMachine;

  constructor(lvm: SimulatedLvm) {
    this.#lvm = lvm;
    this.#machine = lvm.machine;
    this.#protectDirectories();
    for (const fsType of FILE_SYSTEMS)
      lvm.programs.install(`mkfs.${fsType}`, ({ args }, takes) => this.#mkfs(fsType, args.at(-1) ?? '', takes));
    lvm.programs.install('blkid', ({ inherited: [device] }) => blkid(lvm.devices.get(device?.number ?? '0:0')), {
      changes: () => false,
    });
    lvm.programs.install('wipefs', ({ inherited }) => wipefs(inherited.map(({ number }) => lvm.devices.get(number))), {
      changes: () => false,
    });
    for (const program of ['e2fsck', 'xfs_repair', 'btrfs', 'resize2fs', 'xfs_growfs'])
      lvm.programs.install(program, ({ argv }, takes) => this.#checkOrGrow(argv, takes), {
        changes: () => program !== 'e2fsck' && program !== 'xfs_repair',
      });
    lvm.programs.install('mount', ({ args }) => (args.includes('--all') ? this.#mountAll(args) : this.#remount(args)));
    lvm.programs.install('umount', ({ args }) => this.#unmount(args.at(-1) ?? ''));
    lvm.programs.install('systemctl', ({ args: [how, , , ...units] }) => this.#systemctl(how, units));
    lvm.programs.install('fsfreeze', ({ args: [how, path] }) => this.#freeze(how === '--freeze', path ?? ''));
    lvm.programs.install('chattr', ({ args: [how, , ...paths] }) => this.#chattr(how === '+i', paths));
    lvm.programs.install('cryptsetup', (call, takes) => this.#cryptsetup(call, takes));
  }

  /** What is seen at a path: of the uppermost mount, if anything of ours is mounted there. */
  contentAt(path: string): Content | undefined {
    const mount = this.#top(path);
    return mount && this.#deviceOf(mount)?.content;
  }

  /** Somebody writes to a volume. */
  write(path: string, data: string): void {
    const content = this.contentAt(path);
    if (!content?.isWhole) throw new Error(`nothing can be written at ${path}`);
    content.data = data;
  }

  /** By somebody else than the job. */
  mountForeign(path: string): void {
    this.#machine.mount({ device: '0:99', mountPoint: path, source: 'somebody', fsType: 'tmpfs' });
  }

  unmount(path: string): void {
    const { mounts } = this.#machine;
    const last = mounts.findLastIndex(({ mountPoint }) => mountPoint === path);
    if (last >= 0) mounts.splice(last, 1);
  }

  #top(path: string): Mount | undefined {
    const mount = new MountTree(this.#machine.mounts).at(path);
    return mount?.mountPoint === path ? mount : undefined;
  }

  #deviceOf({ device, source }: Mount): Mapped | undefined {
    return this.#lvm.devices.get(device) ?? this.#lvm.devices.at(source);
  }

  /** As the kernel does: nobody removes what is immutable or mounted upon. */
  #protectDirectories(): void {
    const { tree } = this.#machine;
    const remove = tree.remove.bind(tree);
    tree.remove = (path) => {
      if (this.#top(path)) throw new FileError('remove', path, 'EBUSY');
      if (this.immutable.has(path)) throw new FileError('remove', path, 'EPERM');
      remove(path);
    };
  }

  /** That of btrfs does not have the device for itself alone while it writes: another one would not be kept off. */
  async #mkfs(fsType: string, path: string, takes: Takes): Promise<Reply> {
    const { devices } = this.#lvm;
    const mapped = devices.at(path);
    if (!mapped) throw new Failure(`The file ${path} does not exist and no size was specified.`, 1);
    if (devices.isBusy(mapped))
      throw new Failure(`${path} is apparently in use by the system; will not make a filesystem here!`, 1);
    const { content, disk } = mapped;
    this.#lvm.onDeed({ does: 'format', content });
    const make = async () => {
      await takes(HALF_OF_MKFS_MS);
      if (fsType !== 'btrfs') this.#become(content, fsType, false);
      await takes(HALF_OF_MKFS_MS);
      this.#become(content, fsType, true);
      content.fsBytes = BigInt(disk.sizeBytes);
      content.formatted += 1;
      return {};
    };
    return await (fsType === 'btrfs' ? make() : devices.held(mapped, 'mkfs', make));
  }

  #become(content: Content, signature: string, isWhole: boolean): void {
    content.become(signature, isWhole);
    this.#lvm.devices.show(content);
  }

  async #checkOrGrow(argv: readonly string[], takes: Takes): Promise<Reply> {
    const [program = '', first] = argv;
    const isCheck = program === 'e2fsck' || program === 'xfs_repair' || first === 'check';
    const target = argv.at(-1) ?? '';
    const mapped = target.startsWith('/dev/') ? this.#lvm.devices.at(target) : this.#mountedAt(target);
    if (!mapped) throw new Failure(`${target}: No such file or directory`, program === 'e2fsck' ? 16 : 2);
    await takes(CHECK_MS);
    const { content, disk } = mapped;
    if (isCheck) return { code: content.isWhole ? 0 : (NOT_WHOLE[program] ?? 1) };
    this.#lvm.onDeed({ does: 'grow', content });
    content.fsBytes = BigInt(disk.sizeBytes);
    return {};
  }

  #mountedAt(path: string): Mapped | undefined {
    const mount = this.#top(path);
    return mount && this.#deviceOf(mount);
  }

  #mountAll(args: readonly string[]): Reply {
    const table = Buffer.from(this.#machine.tree.read(parse(args).options.one('--fstab'))).toString();
    const results = parseFstab(table)
      .filter((entry) => !this.#isMounted(entry))
      .map((entry) => this.#mount(entry));
    const said = results.filter((why) => why !== undefined);
    const none = said.length === results.length;
    if (said.length === 0) return {};
    return { code: none ? 32 : 64, stderr: said.map((why) => `mount: ${why}\n`).join('') };
  }

  #isMounted({ source, path }: FstabEntry): boolean {
    const mapped = this.#lvm.devices.at(source);
    return this.#machine.mounts.some((mount) => mount.mountPoint === path && this.#deviceOf(mount) === mapped);
  }

  /** Why it could not be mounted. */
  #mount({ source, path, fsType, options }: FstabEntry): string | undefined {
    const { devices } = this.#lvm;
    const mapped = devices.at(source);
    if (!this.#isDirectory(path)) return `${path}: mount point does not exist.`;
    if (!mapped) return `${path}: special device ${source} does not exist.`;
    const { content, number } = mapped;
    if (isHeld(mapped)) return `${path}: ${source} already mounted or mount point busy.`;
    if (content.signature !== fsType || !content.isWhole)
      return `${path}: wrong fs type, bad option, bad superblock on ${source}, missing codepage or helper program, or other error.`;
    this.#lvm.onDeed({ does: 'mount', content, path });
    content.wasMounted = true;
    devices.show(content);
    const device = fsType === 'btrfs' ? (`0:${100 + this.#machine.mounts.length}` as const) : number;
    const shown = changed(['rw'], options);
    this.#machine.mount({ device, mountPoint: path, source: this.#shownAs(mapped), fsType, options: shown });
    return undefined;
  }

  /** Of the uppermost mount, whatever that is. */
  #remount(args: readonly string[]): Reply {
    const { options } = parse(args);
    const [path, [how, ...wanted]] = [options.one('--target'), options.one('--options').split(',')];
    const mount = this.#top(path);
    if (how !== 'remount' || !mount) return { code: 32, stderr: `mount: ${path}: mount point not mounted.\n` };
    this.#lvm.onDeed({ does: 'remount', content: this.#deviceOf(mount)?.content });
    const { mounts } = this.#machine;
    mounts[mounts.indexOf(mount)] = { ...mount, options: changed(mount.options, wanted) };
    return {};
  }

  /** Tables of mounts have the name in /dev/mapper. */
  #shownAs({ disk }: Mapped): string {
    const { tree } = this.#machine;
    const name = Buffer.from(tree.read(`/sys/block/${disk.name}/dm/name`)).toString();
    return `/dev/mapper/${name.trim()}`;
  }

  #isDirectory(path: string): boolean {
    try {
      return this.#machine.tree.stat(path).kind === 'directory';
    } catch {
      return false;
    }
  }

  #unmount(path: string): Reply {
    const fail = (why: string) => ({ code: 32, stderr: `umount: ${path}: ${why}.\n` });
    if (!this.#top(path)) return fail('not mounted');
    const isBelow = this.#machine.mounts.some(({ mountPoint }) => mountPoint.startsWith(`${path}/`));
    if (isBelow || this.held.has(path)) return fail('target is busy');
    this.#lvm.onDeed({ does: 'unmount', path });
    this.unmount(path);
    return {};
  }

  /** Of units that mount something, as far as they are started and stopped with the boots to come. */
  #systemctl(how: string | undefined, units: readonly string[]): Reply {
    const { tree } = this.#machine;
    const failures = units.flatMap((unit) => {
      const text = Buffer.from(tree.read(`${UNITS}/${unit}`)).toString();
      const said = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? '';
      const options = said('Options')
        .split(',')
        .filter((option) => option !== 'nofail');
      const entry = { source: said('What'), path: said('Where'), fsType: said('Type'), options };
      return (how === 'enable' ? this.#enable(unit, entry) : this.#disable(unit, entry)) ?? [];
    });
    return failures.length === 0 ? {} : { code: 1, stderr: failures.join('\n') };
  }

  #enable(unit: string, entry: FstabEntry): string | undefined {
    const { tree } = this.#machine;
    if (!tree.list(WANTED).includes(unit)) tree.symlink(`${UNITS}/${unit}`, `${WANTED}/${unit}`);
    return this.#isMounted(entry) ? undefined : this.#mount(entry);
  }

  #disable(unit: string, { path }: FstabEntry): string | undefined {
    const { tree } = this.#machine;
    if (tree.list(WANTED).includes(unit)) tree.remove(`${WANTED}/${unit}`);
    return this.#top(path) ? this.#unmount(path).stderr : undefined;
  }

  #freeze(isFrozen: boolean, path: string): Reply {
    const content = this.contentAt(path);
    const what = isFrozen ? 'freeze' : 'unfreeze';
    if (!content) throw new Error(`the disk of the node is to ${what}`);
    if (content.isFrozen === isFrozen)
      return {
        code: 1,
        stderr: `fsfreeze: ${path}: ${what} failed: ${isFrozen ? 'Device or resource busy' : 'Invalid argument'}\n`,
      };
    content.isFrozen = isFrozen;
    return {};
  }

  #chattr(isImmutable: boolean, paths: readonly string[]): Reply {
    const missing = paths.filter((path) => !this.#isDirectory(path));
    for (const path of paths.filter((each) => !missing.includes(each))) {
      const mounted = this.contentAt(path);
      if (mounted) mounted.isImmutable = isImmutable;
      else if (this.#top(path)) continue;
      else if (isImmutable) this.immutable.add(path);
      else this.immutable.delete(path);
    }
    if (missing.length === 0) return {};
    return { code: 1, stderr: `chattr: No such file or directory while trying to stat ${missing[0]}\n` };
  }

  async #cryptsetup({ args, input }: Call, takes: Takes): Promise<Reply> {
    const [action = '', ...rest] = args;
    const { options, operands } = parse(rest);
    const [target = '', name = ''] = operands;
    switch (action) {
      case 'luksFormat':
        return await this.#luksFormat(this.#luksDevice(target), input, takes);
      case 'open':
        return await this.#luksOpen(this.#luksDevice(target), input, name, options.has('--test-passphrase'), takes);
      case 'close':
        return this.#luksClose(target);
      case 'resize':
        return this.#luksResize(target, input);
      case 'luksAddKey':
        return await this.#luksAddKey(this.#luksDevice(target), input, Number(options.one('--keyfile-size')), takes);
      case 'luksKillSlot':
        return await this.#luksKillSlot(this.#luksDevice(target), input, Number(name), takes);
      case 'erase': {
        const { content } = this.#luksDevice(target);
        this.#lvm.onDeed({ does: 'erase', content });
        content.slots = [];
        return {};
      }
      default:
        throw new Failure(`${action}: unknown action`, 1);
    }
  }

  #luksDevice(path: string): Mapped {
    const mapped = this.#lvm.devices.at(path);
    if (!mapped) throw new Failure(`Device ${path} does not exist or access denied.`, 4);
    return mapped;
  }

  /** A header without a slot is what is there for most of the time: to derive the key takes long. */
  async #luksFormat(mapped: Mapped, key: string, takes: Takes): Promise<Reply> {
    const { content } = mapped;
    if (this.#lvm.devices.isBusy(mapped)) throw new Failure('Cannot format device which is still in use.', 5);
    this.#lvm.onDeed({ does: 'format', content });
    await takes(HALF_OF_LUKS_FORMAT_MS);
    this.#become(content, 'crypto_LUKS', false);
    const inside = new Content();
    content.inside = inside;
    await takes(HALF_OF_LUKS_FORMAT_MS);
    this.#become(content, 'crypto_LUKS', true);
    content.inside = inside;
    content.slots = [key];
    content.formatted += 1;
    return {};
  }

  async #luksOpen(mapped: Mapped, key: string, name: string, isTest: boolean, takes: Takes): Promise<Reply> {
    const slot = slotOf(mapped.content, key);
    await takes(DERIVATION_MS);
    if (isTest) return { stdout: `Key slot ${slot} unlocked.\nCommand successful.\n` };
    const { devices } = this.#lvm;
    if (devices.at(`/dev/mapper/${name}`)) throw new Failure(`Device ${name} already exists.`, 5);
    if (devices.isBusy(mapped)) throw new Failure('Cannot use device which is in use (already mapped or mounted).', 5);
    const inside = mapped.content.inside ?? new Content();
    devices.make({
      name,
      uuid: `CRYPT-LUKS2-${mapped.disk.name}-${name}`,
      sizeBytes: BigInt(mapped.disk.sizeBytes) - HEADER_BYTES,
      content: inside,
      over: mapped,
    });
    return {};
  }

  #luksClose(name: string): Reply {
    const mapped = this.#lvm.devices.at(`/dev/mapper/${name}`);
    if (!mapped) throw new Failure(`Device ${name} is not active.`, 4);
    if (this.#lvm.devices.isBusy(mapped)) throw new Failure(`Device ${name} is still in use.`, 5);
    this.#lvm.devices.remove(mapped);
    return {};
  }

  #luksResize(name: string, key: string): Reply {
    const { devices } = this.#lvm;
    const mapped = devices.at(`/dev/mapper/${name}`);
    if (!mapped) throw new Failure(`Device ${name} is not active.`, 4);
    const [below = ''] = this.#machine.tree.list(`/sys/block/${mapped.disk.name}/slaves`);
    const lower = this.#luksDevice(`/dev/${below}`);
    slotOf(lower.content, key);
    devices.resize(mapped, BigInt(lower.disk.sizeBytes) - HEADER_BYTES);
    return {};
  }

  async #luksAddKey({ content }: Mapped, input: string, keyBytes: number, takes: Takes): Promise<Reply> {
    const [key, added] = [input.slice(0, keyBytes), input.slice(keyBytes)];
    slotOf(content, key);
    await takes(DERIVATION_MS);
    const free = content.slots.indexOf(undefined);
    content.slots[free < 0 ? content.slots.length : free] = added;
    return {};
  }

  async #luksKillSlot({ content }: Mapped, key: string, slot: number, takes: Takes): Promise<Reply> {
    if (slotOf(content, key) === slot) throw new Failure('No key available with this passphrase.', 2);
    await takes(DERIVATION_MS);
    content.slots[slot] = undefined;
    return {};
  }
}

/** Some options have a word for their absence, and are shown only when they are there. */
function changed(options: readonly string[], wanted: readonly string[]): readonly string[] {
  const gone = wanted.filter((option) => ['exec', 'dev', 'suid'].includes(option)).map((option) => `no${option}`);
  const added = wanted.filter((option) => !gone.includes(`no${option}`));
  return [...new Set([...options.filter((option) => !gone.includes(option)), ...added])];
}

/** What the checkers end with when something is wrong. */
const NOT_WHOLE: Readonly<Record<string, number>> = { e2fsck: 8, xfs_repair: 1, btrfs: 1 };

function blkid(mapped: Mapped | undefined): Reply {
  const signature = mapped?.content.signature;
  return signature === undefined ? { code: 2 } : { stdout: `TYPE=${signature}\n` };
}

/** Of descriptors from 3 on. */
function wipefs(all: readonly (Mapped | undefined)[]): Reply {
  const signatures = all.flatMap((mapped, index) => (mapped?.content.signature ? [{ device: `${index + 3}` }] : []));
  return { stdout: JSON.stringify({ signatures }) };
}

function slotOf({ signature, slots }: Content, key: string): number {
  if (signature !== 'crypto_LUKS') throw new Failure('Device is not a valid LUKS device.', 1);
  if (slots.every((each) => each === undefined)) throw new Failure('No usable keyslot is available.', 1);
  const slot = slots.indexOf(key);
  if (slot < 0) throw new Failure('No key available with this passphrase.', 2);
  return slot;
}
