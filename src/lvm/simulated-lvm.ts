/** For tests: LVM on a simulated machine. Its programs take what the job gives to the real ones, and answer and fail as those do. */
import type { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { deviceMapperName } from './names.ts';
import { Content, DeviceMapper } from './simulated-devices.ts';
import { reportOf, selected } from './simulated-lvm-report.ts';
import {
  BRIEF_MS,
  type Call,
  Failure,
  parse,
  type Reply,
  SimulatedPrograms,
  type Takes,
} from './simulated-programs.ts';
import {
  allocated,
  EXTENT,
  extentsOf,
  freeIn,
  isOrigin,
  never,
  type SimulatedGroup,
  type SimulatedVolume,
  spare,
} from './simulated-volumes.ts';

/** What is about to be done to a volume, for who watches. */
export type Deed =
  | { readonly does: 'create' | 'remove' | 'extend' | 'tag' | 'rename'; readonly volume: SimulatedVolume }
  | { readonly does: 'format' | 'grow' | 'erase' | 'overwrite'; readonly content: Content }
  | { readonly does: 'remount'; readonly content: Content | undefined }
  | { readonly does: 'mount'; readonly content: Content; readonly path: string }
  | { readonly does: 'unmount'; readonly path: string };

const WIPING_MS = 2_000;
/** Where something may be left of what was on the disk, which LVM does not know. */
const NOT_WIPED_AT = 2 * 2 ** 20;

export class SimulatedLvm {
  readonly machine: SimulatedMachine;
  readonly programs: SimulatedPrograms;
  readonly devices: DeviceMapper;
  readonly groups = new Map<string, SimulatedGroup>();
  onDeed: (deed: Deed) => void = () => {};
  #uuids = 0;

  constructor(machine: SimulatedMachine) {
    this.machine = machine;
    this.programs = new SimulatedPrograms(machine);
    this.devices = new DeviceMapper(machine);
    this.devices.onWrite = ({ content }) => this.onDeed({ does: 'overwrite', content });
    this.programs.install('lvm', (call, takes) => this.#lvm(call, takes), {
      changes: ([, report]) => report === undefined,
    });
    this.programs.install('lvcreate', (call, takes) => this.#lvcreate(call.args, takes));
    this.programs.install('lvchange', (call) => this.#lvchange(call.args));
    this.programs.install('lvextend', (call) => this.#lvextend(call.args));
    this.programs.install('lvremove', (call) => this.#lvremove(call.args));
    this.programs.install('lvrename', (call) => this.#lvrename(call.args));
  }

  addGroup(name: string, extents: bigint): SimulatedGroup {
    const group = { name, uuid: this.#uuid(), extents, volumes: new Map() };
    this.groups.set(name, group);
    this.machine.tree.mkdir(`/dev/${name}`);
    return group;
  }

  get volumes(): readonly SimulatedVolume[] {
    return [...this.groups.values()].flatMap(({ volumes }) => [...volumes.values()]);
  }

  volumeOf(content: Content): SimulatedVolume | undefined {
    return this.volumes.find((volume) => volume.content === content || volume.content.inside === content);
  }

  /** What a boot without automatic activation leaves: no device, no mount, and all that is on the disks. */
  reboot(): void {
    this.programs.end();
    this.machine.mounts.length = 0;
    for (const mapped of this.devices.all) this.devices.remove(mapped);
    for (const volume of this.volumes) {
      volume.mapped = undefined;
      if (volume.content.inside) volume.content.inside.isFrozen = false;
    }
    this.#emptyRun();
  }

  /** What is below /run is in memory. */
  #emptyRun(): void {
    try {
      this.machine.tree.remove('/run/holdfast/lvm.fstab');
    } catch {
      // There is none before the first mount.
    }
  }

  create(group: SimulatedGroup, volume: Omit<SimulatedVolume, 'group' | 'uuid' | 'content'>): SimulatedVolume {
    const content = new Content();
    const made = { ...volume, group, uuid: this.#uuid(), content };
    group.volumes.set(made.name, made);
    this.activate(made);
    return made;
  }

  activate(volume: SimulatedVolume): void {
    if (volume.mapped) return;
    const { group, name, extents, content, uuid, kind, pool } = volume;
    if (pool !== undefined) this.activate(group.volumes.get(pool) ?? never(`${group.name} has no ${pool}`));
    volume.mapped = this.devices.make({
      name: deviceMapperName(group.name, name),
      uuid: `LVM-${uuid.replaceAll('-', '')}`,
      sizeBytes: extents * EXTENT,
      content,
      links: kind === 'thin-pool' ? [] : [`/dev/${group.name}/${name}`],
    });
  }

  remove(volume: SimulatedVolume): void {
    if (volume.mapped) this.devices.remove(volume.mapped);
    volume.group.volumes.delete(volume.name);
    for (const snapshot of this.#snapshotsOf(volume)) snapshot.origin = undefined;
  }

  #snapshotsOf({ group, name }: SimulatedVolume): readonly SimulatedVolume[] {
    return [...group.volumes.values()].filter(({ origin }) => origin === name);
  }

  /** The number of its device stays, and the paths follow its name. */
  rename(volume: SimulatedVolume, to: string): void {
    const { group, name } = volume;
    for (const snapshot of this.#snapshotsOf(volume)) snapshot.origin = to;
    group.volumes.delete(name);
    volume.name = to;
    group.volumes.set(to, volume);
    if (!volume.mapped) return;
    const { tree } = this.machine;
    const pathsOf = (each: string) => [
      `/dev/mapper/${deviceMapperName(group.name, each)}`,
      `/dev/${group.name}/${each}`,
    ];
    for (const path of pathsOf(name)) tree.remove(path);
    for (const path of pathsOf(to)) tree.symlink(`/dev/${volume.mapped.disk.name}`, path);
  }

  /** Without arguments it is a shell, which goes on after what fails. */
  async #lvm({ args, input }: Call, takes: Takes): Promise<Reply> {
    if (args[0] === 'fullreport') return { stdout: JSON.stringify(this.#report()) };
    let [stdout, stderr] = ['', ''];
    for (const line of input.split('\n').filter((each) => each !== '')) {
      const [program, ...words] = line.split(' ');
      if (program !== 'lvcreate') throw new Failure(`No such command '${program}'.  Try 'help'.`);
      await takes(BRIEF_MS);
      const complaint = await this.#complaintOf(this.#lvcreate(words, takes));
      stderr += complaint;
      if (complaint === '') stdout += `  Logical volume "${words[words.indexOf('--name') + 1]}" created.\n`;
    }
    return { stdout, stderr };
  }

  async #complaintOf(work: Promise<Reply>): Promise<string> {
    try {
      await work;
      return '';
    } catch (error) {
      if (error instanceof Failure) return `  ${error.message}\n`;
      throw error;
    }
  }

  /** Its marks are there before what was on the disk is wiped. */
  async #lvcreate(args: readonly string[], takes: Takes): Promise<Reply> {
    const { options, operands } = parse(args);
    const [groupName = '', originName] = (operands[0] ?? '').split('/');
    const group = this.#group(groupName);
    const name = options.one('--name');
    const type = options.has('--snapshot') ? 'snapshot' : options.one('--type');
    if (group.volumes.has(name))
      throw new Failure(`Logical Volume "${name}" already exists in volume group "${groupName}"`);
    const size = options.has('--virtualsize') ? '--virtualsize' : '--size';
    const origin = originName === undefined ? undefined : this.#volume(group, originName);
    const isThinSnapshot = origin?.kind === 'thin' && !options.has('--size');
    const extents = isThinSnapshot ? (origin?.extents ?? 0n) : extentsOf(options.one(size));
    const pool = isThinSnapshot ? origin?.pool : options.maybe('--thinpool');
    if (pool !== undefined && group.volumes.get(pool)?.kind !== 'thin-pool')
      throw new Failure(`Thin pool ${groupName}/${pool} not found.`);
    const volume = {
      name,
      kind: KINDS[type] ?? 'plain',
      extents,
      tags: new Set(options.all('--addtag')),
      pool,
      origin: originName,
      isReadOnly: options.maybe('--permission') === 'r',
    };
    const needed = allocated(volume) + (volume.kind === 'thin-pool' ? 1n - spare(group.volumes) : 0n);
    if (needed > freeIn(group))
      throw new Failure(
        `Volume group "${groupName}" has insufficient free space (${freeIn(group)} extents): ${needed} required.`,
      );
    const isMadeOfPlain = volume.kind === 'thin-pool' || (volume.kind === 'snapshot' && pool === undefined);
    const made = this.create(group, isMadeOfPlain ? { ...volume, kind: 'plain', origin: undefined } : volume);
    if (isMadeOfPlain) await this.#becomes(made, volume, takes);
    const { content } = made;
    if (origin) this.#snap(origin.content, content);
    if (made.kind === 'plain') content.isOfOneBefore();
    this.devices.show(content);
    this.onDeed({ does: 'create', volume: made });
    if (made.kind === 'plain') {
      await takes(WIPING_MS);
      content.become(undefined, false);
      this.devices.show(content);
      made.mapped?.disk.content.write(Buffer.from('of one before'), NOT_WIPED_AT);
    }
    return {};
  }

  /** A pool and a classic snapshot are logical volumes like any other at first, and have their marks already. */
  async #becomes(made: SimulatedVolume, { kind, origin }: Pick<SimulatedVolume, 'kind' | 'origin'>, takes: Takes) {
    await takes(WIPING_MS);
    if (made.group.volumes.get(made.name) !== made) throw new Failure(`VG ${made.group.name} has changed meanwhile.`);
    if (made.mapped) this.devices.remove(made.mapped);
    Object.assign(made, { kind, origin, mapped: undefined });
    this.activate(made);
  }

  /** LVM holds the filesystem still that is on the volume, and knows nothing of one that is inside of an encryption. */
  #snap(from: Content, to: Content): void {
    copy(from, to);
    if (!from.inside) return;
    to.inside = new Content();
    copy(from.inside, to.inside);
    const isMounted = this.machine.mounts.some(({ device }) => this.devices.get(device)?.content === from.inside);
    if (isMounted && !from.inside.isFrozen) to.inside.isWhole = false;
  }

  #lvchange(args: readonly string[]): Reply {
    const { options, operands } = parse(args);
    const volumes = operands.flatMap((name) => this.#maybeNamed(name) ?? []);
    for (const volume of volumes.filter(selected(options.one('--select')))) {
      const [add, remove] = [options.all('--addtag'), options.all('--deltag')];
      if (add.length + remove.length > 0) this.onDeed({ does: 'tag', volume });
      for (const tag of remove) volume.tags.delete(tag);
      for (const tag of add) volume.tags.add(tag);
      const how = options.maybe('--activate');
      if (how === 'y') this.activate(volume);
      if (how === 'n') this.#deactivate(volume);
    }
    const missing = operands.find((name) => !this.#maybeNamed(name));
    if (missing !== undefined) throw new Failure(`Failed to find logical volume "${missing}"`);
    return {};
  }

  #deactivate(volume: SimulatedVolume): void {
    if (!volume.mapped) return;
    this.#mustBeFree(volume);
    this.devices.remove(volume.mapped);
    volume.mapped = undefined;
  }

  #lvextend(args: readonly string[]): Reply {
    const { options, operands } = parse(args);
    const volume = this.#named(operands[0] ?? '');
    const { group, kind, extents, mapped } = volume;
    const wanted = extentsOf(options.one('--size'));
    if (wanted === extents)
      throw new Failure(`New size (${wanted} extents) matches existing size (${extents} extents).`);
    if (wanted < extents)
      throw new Failure(`New size given (${wanted} extents) not larger than existing size (${extents} extents)`, 3);
    if (isOrigin(volume) && mapped)
      throw new Failure('Snapshot origin volumes can be resized only while inactive: try lvchange -an.');
    const more = kind === 'thin' ? 0n : wanted - extents;
    if (more > freeIn(group))
      throw new Failure(`Insufficient free space: ${more} extents needed, but only ${freeIn(group)} available`);
    this.onDeed({ does: 'extend', volume });
    volume.extents = wanted;
    if (mapped) this.devices.resize(mapped, wanted * EXTENT);
    return {};
  }

  #lvremove(args: readonly string[]): Reply {
    const { options, operands } = parse(args);
    const volume = this.#named(operands[0] ?? '');
    if (!selected(options.one('--select'))(volume)) return {};
    this.#mustBeFree(volume);
    this.onDeed({ does: 'remove', volume });
    this.remove(volume);
    return {};
  }

  #lvrename(args: readonly string[]): Reply {
    const { operands } = parse(args);
    const [groupName = '', from = '', to = ''] = operands;
    const group = this.#group(groupName);
    const volume = group.volumes.get(from);
    if (group.volumes.has(to))
      throw new Failure(`Logical volume "${to}" already exists in volume group "${groupName}"`);
    if (!volume) throw new Failure(`Existing logical volume "${from}" not found in volume group "${groupName}"`);
    this.onDeed({ does: 'rename', volume });
    this.rename(volume, to);
    return {};
  }

  #mustBeFree({ mapped, group, name }: SimulatedVolume): void {
    if (!mapped || !this.devices.isBusy(mapped)) return;
    const isMounted = this.machine.mounts.some(({ device }) => device === mapped.number);
    const how = isMounted ? 'contains a filesystem in use.' : 'in use.';
    throw new Failure(`Logical volume ${group.name}/${name} ${how}`);
  }

  #group(name: string): SimulatedGroup {
    const group = this.groups.get(name);
    if (!group) throw new Failure(`Volume group "${name}" not found\n  Cannot process volume group ${name}`);
    return group;
  }

  #volume({ name: group, volumes }: SimulatedGroup, name: string): SimulatedVolume {
    const volume = volumes.get(name);
    if (!volume) throw new Failure(`Failed to find logical volume "${group}/${name}"`);
    return volume;
  }

  #maybeNamed(full: string): SimulatedVolume | undefined {
    const [group = '', name = ''] = full.split('/');
    return this.groups.get(group)?.volumes.get(name);
  }

  #named(full: string): SimulatedVolume {
    const [group = '', name = ''] = full.split('/');
    return this.#volume(this.#group(group), name);
  }

  #report(): object {
    return reportOf(this.groups.values(), (mapped) => this.devices.isBusy(mapped));
  }

  #uuid(): string {
    const digits = `${++this.#uuids}`.padStart(32, '0');
    return [6, 10, 14, 18, 22, 26, 32].map((end, index, ends) => digits.slice(ends[index - 1] ?? 0, end)).join('-');
  }
}

const KINDS: Readonly<Record<string, SimulatedVolume['kind']>> = {
  thin: 'thin',
  'thin-pool': 'thin-pool',
  snapshot: 'snapshot',
};
function copy(from: Content, to: Content): void {
  const { signature, isWhole, fsBytes, data, slots } = from;
  Object.assign(to, { signature, isWhole, fsBytes, data, slots: [...slots] });
}
