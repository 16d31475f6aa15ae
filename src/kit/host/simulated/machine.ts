/** A machine in memory: what it has on it, what happens to it, and a journal of everything that is done to it. Time is the clock's. */
import type { Clock } from '../../clock/clock.ts';
import type { DeviceNumber } from '../device-number.ts';
import type { Loop } from '../loops.ts';
import { MountTree } from '../mount-tree.ts';
import type { Mount } from '../mounts.ts';
import type { Opener, Unseen } from '../open-survey.ts';
import type { Swap } from '../swaps.ts';
import type { InstalledProgram, Program, RunningProgram } from './commands.ts';
import type { SimulatedOpenDevice } from './devices.ts';
import { type DiskDescription, SimulatedDisk } from './disk.ts';
import { Faults } from './faults.ts';
import { FileTree } from './file-tree.ts';
import { SimulatedHost } from './host.ts';
import type { Operation } from './operation.ts';

export class SimulatedMachine {
  readonly name: string;
  readonly clock: Clock;
  readonly tree = new FileTree();
  readonly faults = new Faults();
  readonly programs = new Map<string, InstalledProgram>();
  readonly running = new Set<RunningProgram>();
  /** Every operation that happened, in order. */
  readonly calls: Operation[] = [];
  readonly mounts: Mount[] = [];
  readonly swaps: Swap[] = [];
  readonly loops: Loop[] = [];
  /** Descriptors that other processes have open. */
  readonly strangers: (Omit<Opener, 'self'> & { readonly device: DeviceNumber })[] = [];
  /** What a survey of open devices cannot see. */
  readonly unseen: Unseen[] = [];
  readonly hosts: SimulatedHost[] = [];
  readonly #disks = new Map<DeviceNumber, SimulatedDisk>();
  #numbered = 0;
  #sequence = 0;
  #started = 0;
  #mountings = 0;

  constructor(clock: Clock, name = 'machine') {
    this.clock = clock;
    this.name = name;
  }

  /** A new process of ours on this machine. After a crash, the restarted program gets another. */
  host(): SimulatedHost {
    const host = new SimulatedHost(this, this.newPid());
    this.hosts.push(host);
    return host;
  }

  newPid(): number {
    return 1000 + this.#started++;
  }

  /** What was done to the machine, in order: empty when nothing was. */
  get journal(): readonly Operation[] {
    return this.calls.filter(({ changes }) => changes);
  }

  /** `changes: false` keeps a program that only looks out of the journal. */
  install(name: string, run: Program, { changes = () => true }: Partial<Pick<InstalledProgram, 'changes'>> = {}): void {
    this.programs.set(name, { run, changes });
  }

  /** The disk of this number, if there is one. */
  disk(number: DeviceNumber): SimulatedDisk | undefined {
    return this.#disks.get(number);
  }

  /** Puts a disk in; its node is /dev/NAME. As by the kernel, it can get the number of one that was pulled out. */
  addDisk(description: DiskDescription, number?: DeviceNumber): SimulatedDisk {
    if (number && this.#disks.has(number)) throw new Error(`there is a disk ${number} already`);
    const diskSequence = `${++this.#sequence}`;
    return this.#attach(new SimulatedDisk(number ?? `8:${this.#numbered++ * 16}`, { diskSequence, ...description }));
  }

  addPartition(
    whole: SimulatedDisk,
    { startBytes, sizeBytes }: { startBytes: number; sizeBytes: number },
  ): SimulatedDisk {
    const index = whole.partitions.length + 1;
    const number: DeviceNumber = `259:${this.#numbered++}`;
    const { described, name } = whole;
    const between = /\d$/.test(name) ? 'p' : ''; // as the kernel has it: sda1, nvme0n1p1
    const description = { ...described, holders: [], name: `${name}${between}${index}`, sizeBytes };
    return this.#attach(new SimulatedDisk(number, description, { disk: whole, index, startBytes }));
  }

  /** Pulls a disk out: its node and its facts go, and whoever has it open gets errors. */
  removeDisk(disk: SimulatedDisk): void {
    for (const partition of disk.partitions) this.removeDisk(partition);
    disk.attached = false;
    this.#disks.delete(disk.number);
    this.tree.remove(`/dev/${disk.name}`);
  }

  mount(mount: Pick<Mount, 'device' | 'mountPoint'> & Partial<Mount>): void {
    const source = mount.source ?? `/dev/${this.disk(mount.device)?.name ?? 'none'}`;
    const [id, options] = [100 + this.#mountings++, ['rw']];
    this.mounts.push({
      id,
      parentId: new MountTree(this.mounts).at(mount.mountPoint)?.id ?? 1,
      root: '/',
      options,
      propagation: [],
      fsType: 'ext4',
      superOptions: options,
      source,
      ...mount,
    });
  }

  /** Whether the kernel or another exclusive opener has it, or a part or the whole of it. */
  isClaimed(disk: SimulatedDisk): boolean {
    const related = [disk, ...disk.partitions, ...(disk.whole ? [disk.whole] : [])];
    return related.some((one) => this.#isHeld(one));
  }

  /** Ends every process and program and undoes what was written and not synced. */
  losePower(): void {
    for (const { process } of this.hosts) process.kill();
    this.running.clear();
    for (const disk of this.#disks.values()) disk.content.loseUnsynced();
  }

  #attach(disk: SimulatedDisk): SimulatedDisk {
    this.#disks.set(disk.number, disk);
    this.tree.addDevice(`/dev/${disk.name}`, disk.number);
    return disk;
  }

  #isHeld(disk: SimulatedDisk): boolean {
    const { number, described, name } = disk;
    return (
      described.holders.length > 0 ||
      this.mounts.some(({ device }) => device === number) ||
      this.swaps.some(({ path }) => path === `/dev/${name}`) ||
      this.#open().some((open) => open.options.exclusive && open.disk === disk)
    );
  }

  /** What our processes have open, and what the programs that they started still do. */
  #open(): readonly SimulatedOpenDevice[] {
    const own = this.hosts.flatMap(({ descriptors }) => Array.from(descriptors, ([, open]) => open));
    return [...own, ...Array.from(this.running, ({ inherited }) => inherited).flat()];
  }
}
