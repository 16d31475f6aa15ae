/** For tests and simulations: what the devices job finds on a machine: disks with links to them in a directory, and the programs it runs. */
import type { DiskDescription, SimulatedDisk } from '../kit/host/simulated/disk.ts';
import type { SimulatedMachine } from '../kit/host/simulated/machine.ts';

const KIB = 2 ** 10;
/** Five pieces, the last of them no multiple of a page: with the bandwidth it takes more than eight seconds to write them. */
export const DISK_BYTES = 16 * KIB + 512;
export const BANDWIDTH = 2 * KIB;
export const DEVICE_DIR = '/dev/disks';
export const STATE_DIR = '/var/lib/holdfast';
export const LEDGER = `${STATE_DIR}/devices.json`;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const FILESYSTEM = 'EXT4-MAGIC';

/** What is at the beginning of a disk that somebody has made a filesystem on, or of one that is used raw. */
export const headOf = (isRaw: boolean): Buffer => (isRaw ? Buffer.alloc(FILESYSTEM.length) : Buffer.from(FILESYSTEM));

export class SimulatedDisks {
  readonly machine: SimulatedMachine;
  readonly #disks: SimulatedDisk[] = [];
  #boots = 0;

  constructor(machine: SimulatedMachine) {
    this.machine = machine;
    for (const directory of [DEVICE_DIR, '/sys/dev/block', '/proc/sys/kernel/random']) machine.tree.mkdir(directory);
    this.#install();
    this.boot();
  }

  /** A disk, and a link to it in the device directory. */
  add(link: string, parts: Partial<DiskDescription> = {}): SimulatedDisk {
    return this.added(
      link,
      this.machine.addDisk({ name: `sd-${link}`, sizeBytes: DISK_BYTES, wwid: `naa.${link}`, ...parts }),
    );
  }

  added(link: string, disk: SimulatedDisk): SimulatedDisk {
    this.machine.tree.mkdir(`/sys/dev/block/${disk.number}`);
    this.link(link, disk);
    this.#disks.push(disk);
    return disk;
  }

  link(link: string, disk: SimulatedDisk): void {
    this.machine.tree.symlink(`/dev/${disk.name}`, `${DEVICE_DIR}/${link}`);
  }

  unlink(link: string): void {
    this.machine.tree.remove(`${DEVICE_DIR}/${link}`);
  }

  /** Ends every process, undoes what was written and not synced, and starts the machine again: another boot, other numbers of disks. */
  reboot(): void {
    this.machine.losePower();
    this.machine.mounts.length = 0;
    this.machine.strangers.length = 0;
    this.boot();
    for (const disk of this.#disks)
      disk.described = { ...disk.described, diskSequence: `${this.#boots}-${disk.number}` };
  }

  boot(): void {
    this.machine.tree.write(BOOT_ID, `boot-${++this.#boots}\n`);
  }

  #install(): void {
    const { machine } = this;
    machine.install(
      'blkid',
      ({ inherited: [device] }) => {
        const head = Buffer.alloc(FILESYSTEM.length);
        device?.disk.read(head, 0);
        return head.toString() === FILESYSTEM ? { stdout: 'TYPE=ext4\n' } : { code: 2 };
      },
      { changes: () => false },
    );
    machine.install('blkdiscard', ({ args, inherited: [device] }) => {
      const [start, length] = ['--offset', '--length'].map((option) => Number(args[args.indexOf(option) + 1]));
      device?.disk.zero(start ?? 0, length ?? 0);
      return {};
    });
  }
}
