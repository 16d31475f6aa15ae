/**
 * For tests: a node with disks, the cluster that it is of, and those who live in both. It watches everything that is done to the disks
 * and volumes, and notes what must never happen.
 */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { settled, VirtualClock } from '../kit/clock/virtual.ts';
import { Refuse, Retry } from '../kit/controller/outcome.ts';
import { FileError } from '../kit/host/file-error.ts';
import type { DiskDescription, SimulatedDisk } from '../kit/host/simulated/disk.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { formatApprovals } from './approvals.ts';
import { APPROVALS_ANNOTATION, CONFIG_ANNOTATION, type DevicesSettings } from './contract.ts';
import { identityOf, keyOf } from './identity.ts';
import type { LedgerState } from './ledger/format.ts';
import { parseLedger } from './ledger/format.ts';
import type { RefusalFact } from './refusals.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { SimulatedCluster, VOLUMES } from './simulated-cluster.ts';

/** Somebody whose data is on a disk. */
interface Tenant {
  readonly name: string;
  /** What is written everywhere, so that it can be found again. */
  readonly data: Buffer;
  readonly places: readonly number[];
  hasLeft: boolean;
}

const KIB = 2 ** 10;
/** Five pieces, the last of them no multiple of a page: with the bandwidth it takes more than eight seconds to write them. */
export const DISK_BYTES = 16 * KIB + 512;
const BANDWIDTH = 2 * KIB;
export const DEVICE_DIR = '/dev/disks';
const STATE_DIR = '/var/lib/holdfast';
export const LEDGER = `${STATE_DIR}/devices.json`;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const NODE = 'n1';
const NAMESPACE = 'holdfast';
const CONFIG_MAP = 'disks';
const FILESYSTEM = 'EXT4-MAGIC';

export const volumeAt = (link: string): string => `local-${NODE}-${link}`;

export class SimulatedNode {
  readonly clock = new VirtualClock();
  readonly machine = new SimulatedMachine(this.clock);
  readonly cluster = new SimulatedCluster(this.clock);
  readonly events: Occurrence[] = [];
  /** What must never happen, and has. */
  readonly violations: string[] = [];
  /** Of the next process. */
  settings: DevicesSettings;
  readonly #tenants = new Map<SimulatedDisk, Tenant[]>();
  /** Which disk each volume was made of. */
  readonly #made = new Map<string, SimulatedDisk>();
  #isSomebodyElse = false;
  #boots = 0;
  #approvals = 0;
  #insertions = 0;
  #tenantsSoFar = 0;

  constructor(config: Readonly<Record<string, string>> = {}, settings: Partial<DevicesSettings> = {}) {
    this.settings = {
      node: NODE,
      namespace: NAMESPACE,
      pollingMs: 10_000,
      stateDir: STATE_DIR,
      wipesAtOnce: 2,
      wipeBandwidth: BANDWIDTH,
      trustInit: false,
      dryRun: false,
      ...settings,
    };
    for (const directory of [DEVICE_DIR, '/sys/dev/block', '/proc/sys/kernel/random'])
      this.machine.tree.mkdir(directory);
    this.#boot();
    this.#installPrograms();
    this.cluster.put('namespaces', { metadata: { name: 'kube-system', uid: 'cluster-1' } });
    this.annotate({});
    this.configure(config);
    this.cluster.onCreate = (volume) => this.#isMade(volume);
    this.cluster.onDelete = (volume) => this.#isDeleted(volume);
    this.machine.tree.onChange((directory, name) => {
      if (`${directory}/${name}` === LEDGER) this.#ledgerChanges();
    });
  }

  configure(config: Readonly<Record<string, string>>): void {
    const data = { deviceDir: DEVICE_DIR, deviceNameFilter: '.*', volumeMode: 'Block', ...config };
    this.cluster.put('configmaps', { metadata: { name: CONFIG_MAP, namespace: NAMESPACE }, data } as object as {
      metadata: object;
    });
  }

  annotate(annotations: Readonly<Record<string, string>>): void {
    const all = { [CONFIG_ANNOTATION]: CONFIG_MAP, ...annotations };
    this.cluster.put('nodes', { metadata: { name: NODE, annotations: all } });
  }

  /** A disk, and a link to it in the device directory. */
  addDisk(link: string, parts: Partial<DiskDescription> = {}): SimulatedDisk {
    const disk = this.machine.addDisk({ name: `sd-${link}`, sizeBytes: DISK_BYTES, wwid: `naa.${link}`, ...parts });
    return this.#added(link, disk);
  }

  /** Another partition behind those that the disk has, as large as a disk, and a link to it in the device directory. */
  addPartition(link: string, whole: SimulatedDisk): SimulatedDisk {
    const startBytes = DISK_BYTES * (whole.partitions.length + 1);
    return this.#added(link, this.machine.addPartition(whole, { startBytes, sizeBytes: DISK_BYTES }));
  }

  /** It begins elsewhere on its disk from now on, and has the same number as before. */
  movePartition(link: string, partition: SimulatedDisk): SimulatedDisk {
    const whole = partition.whole ?? never();
    const startBytes = (partition.facts.partition?.startBytes ?? 0) + DISK_BYTES;
    this.machine.removeDisk(partition);
    whole.partitions.length = 0;
    return this.#added(link, this.machine.addPartition(whole, { startBytes, sizeBytes: DISK_BYTES }));
  }

  #added(link: string, disk: SimulatedDisk): SimulatedDisk {
    this.machine.tree.mkdir(`/sys/dev/block/${disk.number}`);
    this.link(link, disk);
    this.#watch(disk);
    return disk;
  }

  /** It is out of the machine, and whoever has it open gets errors. */
  unplug(disk: SimulatedDisk): void {
    disk.attached = false;
    for (const link of this.linksTo(disk)) this.unlink(link);
  }

  /** It is in again, as another insertion. */
  plugIn(disk: SimulatedDisk, link: string): void {
    disk.attached = true;
    disk.described = { ...disk.described, diskSequence: `again-${++this.#insertions}` };
    this.link(link, disk);
  }

  linksTo(disk: SimulatedDisk): readonly string[] {
    return this.machine.tree.list(DEVICE_DIR).filter((link) => this.#diskAt(`${DEVICE_DIR}/${link}`) === disk);
  }

  link(link: string, disk: SimulatedDisk): void {
    this.machine.tree.symlink(`/dev/${disk.name}`, `${DEVICE_DIR}/${link}`);
  }

  unlink(link: string): void {
    this.machine.tree.remove(`${DEVICE_DIR}/${link}`);
  }

  #watch(disk: SimulatedDisk): void {
    const write = disk.write.bind(disk);
    const zero = disk.zero.bind(disk);
    disk.write = (bytes, position) => {
      this.#isWritten(disk);
      write(bytes, position);
    };
    disk.zero = (position, length) => {
      this.#isWritten(disk);
      zero(position, length);
    };
  }

  /** Somebody does something right before the call of this number from now on, the first being 1. */
  before(call: number, act: (operation: Operation) => void): void {
    const at = this.machine.faults.calls + call;
    this.machine.faults.when(
      (operation) => {
        if (this.machine.faults.calls === at) act(operation);
        return false;
      },
      { kind: 'fail' },
    );
  }

  /** A new process. What keeps it from starting is tried again, as the kubelet does. Its caches do not show the hidden volumes. */
  async start({ hidden = [] }: { readonly hidden?: readonly string[] } = {}): Promise<SimulatedAgent> {
    for (let attempt = 1; ; attempt++) {
      const agent = new SimulatedAgent(this, this.settings);
      for (const name of hidden) agent.hidden.add(name);
      try {
        await agent.start();
        return agent;
      } catch (error) {
        agent.kill();
        if (attempt === 5) throw error;
        if (error instanceof Error) this.noteError(error);
      }
    }
  }

  /** Ends every process, undoes what was written and not synced, and starts the machine again: another boot, other numbers of disks. */
  reboot(): void {
    this.machine.losePower();
    this.machine.mounts.length = 0;
    this.machine.strangers.length = 0;
    this.#boot();
    for (const disk of this.#disks())
      disk.described = { ...disk.described, diskSequence: `${this.#boots}-${disk.number}` };
  }

  #boot(): void {
    this.machine.tree.write(BOOT_ID, `boot-${++this.#boots}\n`);
  }

  /** Lets time pass until it has ended. */
  async drive<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    promise.then(over, over);
    await settled();
    for (let step = 0; !isOver; step++) {
      if (step > 10_000) throw new Error('it does not end');
      await this.clock.advance(250);
    }
    return promise;
  }

  /** Somebody gets the volume, and puts a filesystem and data on its disk, or only data. Gives back whether he got it. */
  bind(volume: string, { isRaw = false }: { readonly isRaw?: boolean } = {}): boolean {
    const tenant = `claim-${++this.#tenantsSoFar}`;
    if (!this.cluster.bind(volume, tenant)) return false;
    const disk = this.diskOf(volume);
    if (disk) this.#moveIn(tenant, disk, headOf(isRaw));
    return true;
  }

  /** Somebody who has nothing to do with the cluster. */
  putForeignData(disk: SimulatedDisk, { isRaw = false }: { readonly isRaw?: boolean } = {}): void {
    this.#moveIn(`stranger-${++this.#tenantsSoFar}`, disk, headOf(isRaw));
  }

  #moveIn(name: string, disk: SimulatedDisk, head: Buffer): void {
    const data = Buffer.from(`the data of ${name}, all of it;`.padEnd(64, '.'));
    const places = [512, 4096 - 32, disk.sizeBytes / 2, disk.sizeBytes - 64].map(Math.floor);
    this.#tenants.set(disk, [...(this.#tenants.get(disk) ?? []), { name, data, places, hasLeft: false }]);
    this.#isSomebodyElse = true;
    disk.write(head, 0);
    for (const place of places) disk.write(data, place);
    disk.content.sync();
    this.#isSomebodyElse = false;
  }

  /** He leaves the volume, and what he has written with it. */
  release(volume: string): void {
    const disk = this.diskOf(volume);
    const phase = this.cluster.volume(volume)?.status?.phase;
    if (phase !== 'Bound') return;
    if (disk) this.#leave(disk);
    this.cluster.release(volume);
  }

  /** His claim is restored, and he has the volume again as if he had never left. */
  comeBack(volume: string): void {
    const tenant = this.#tenants.get(this.diskOf(volume) ?? never())?.at(-1);
    if (tenant) tenant.hasLeft = false;
    this.cluster.change(volume, (one) => ({ ...one, status: { phase: 'Bound' } }));
  }

  /** Somebody deletes the volume by force and makes another one of the same name, which somebody else gets. */
  replace(volume: string): void {
    const { metadata, spec } = this.cluster.volume(volume) ?? never();
    const { claimRef: _, ...unclaimed } = spec ?? {};
    const { uid: _uid, deletionTimestamp: _deleted, finalizers: _finalizers, ...kept } = metadata;
    this.cluster.vanish(volume);
    const made = { metadata: kept, spec: unclaimed, status: { phase: 'Available' } };
    this.cluster.put(VOLUMES, made);
    this.bind(volume);
  }

  #leave(disk: SimulatedDisk): void {
    for (const tenant of this.#tenants.get(disk) ?? []) tenant.hasLeft = true;
  }

  /** A person knows that nobody needs what is on the disk, and says so. */
  approve(
    disk: SimulatedDisk,
    facts: readonly RefusalFact[],
    path = `${DEVICE_DIR}/${disk.name.slice('sd-'.length)}`,
  ): void {
    this.#leave(disk);
    const identity = identityOf(disk.facts);
    const at = this.clock.now().toISOString();
    const given = facts.map((fact) => ({ id: `approval-${++this.#approvals}`, at, fact, identity }));
    this.annotate({ [APPROVALS_ANNOTATION]: formatApprovals({ [keyOf(identity, path)]: given }) });
  }

  /** What somebody holds for himself alone cannot be mounted. */
  mount(disk: SimulatedDisk): void {
    if (!this.machine.isClaimed(disk)) this.machine.mount({ device: disk.number, mountPoint: `/mnt/${disk.name}` });
  }

  unmount(disk: SimulatedDisk): void {
    const left = this.machine.mounts.filter(({ device }) => device !== disk.number);
    this.machine.mounts.splice(0, Number.POSITIVE_INFINITY, ...left);
  }

  /** The disk that the volume was made of, wherever that is now. */
  diskOf(volume: string): SimulatedDisk | undefined {
    return this.#made.get(volume);
  }

  /** Whether anything of what anybody had on it is still there. */
  isClean(disk: SimulatedDisk): boolean {
    return (this.#tenants.get(disk) ?? []).every((tenant) => !isThere(tenant, disk));
  }

  /** Whether all that he had is still there. */
  isIntact(disk: SimulatedDisk): boolean {
    const tenant = this.#tenants.get(disk)?.at(-1);
    return tenant?.places.every((place) => isAt(tenant, disk, place)) ?? false;
  }

  loseLedger(): void {
    this.#isSomebodyElse = true;
    this.machine.tree.remove(LEDGER);
    this.#isSomebodyElse = false;
  }

  get ledger(): LedgerState {
    return parseLedger(Buffer.from(this.machine.tree.read(LEDGER)).toString());
  }

  phaseOf(volume: string): string | undefined {
    return this.cluster.volume(volume)?.status?.phase;
  }

  /** What was written to the API, as `METHOD path`. */
  get apiWrites(): readonly string[] {
    return this.machine.journal.filter(({ target }) => target === 'api').map(({ argv = [] }) => argv.join(' '));
  }

  /** What the world can do to us is no defect of ours. Anything else is. */
  noteError(error: Error): void {
    const isExpected =
      error instanceof Retry ||
      error instanceof Refuse ||
      error instanceof ApiError ||
      error instanceof ConnectionError ||
      error instanceof FileError;
    if (!isExpected) this.violations.push(`an unexpected error: ${error.stack}`);
  }

  #installPrograms(): void {
    const { machine } = this;
    machine.install(
      'blkid',
      ({ inherited: [device] }) => {
        const head = Buffer.alloc(FILESYSTEM.length);
        device?.disk.read(head, 0);
        return head.toString() === FILESYSTEM ? { stdout: 'TYPE=ext4\n' } : { code: 2 };
      },
      { changes: false },
    );
    machine.install('blkdiscard', ({ args, inherited: [device] }) => {
      const [start, length] = ['--offset', '--length'].map((option) => Number(args[args.indexOf(option) + 1]));
      device?.disk.zero(start ?? 0, length ?? 0);
      return {};
    });
  }

  #isWritten(disk: SimulatedDisk): void {
    if (this.#isSomebodyElse) return;
    const { mounts, strangers } = this.machine;
    const { number, name } = disk;
    const isUsed = mounts.some(({ device }) => device === number) || strangers.some(({ device }) => device === number);
    if (isUsed) this.violations.push(`${name} is written to while it is in use`);
    const present = this.#tenants.get(disk)?.find((tenant) => !tenant.hasLeft);
    if (present) this.violations.push(`${name} is written to while it is ${present.name}'s`);
    for (const { metadata, status } of this.cluster.volumes)
      if (status?.phase === 'Bound' && this.#made.get(metadata.name ?? '') === disk)
        this.violations.push(`${name} is written to while ${metadata.name} is bound`);
  }

  #isMade({ metadata, spec }: PersistentVolume): void {
    const name = metadata.name ?? '';
    const disk = this.#diskAt(spec?.local?.path ?? '');
    if (!disk) return void this.violations.push(`${name} is made of no disk`);
    if (!this.isClean(disk)) this.violations.push(`${name} is made of ${disk.name}, which is not clean`);
    for (const other of this.cluster.volumes)
      if (this.#isOf(other, disk))
        this.violations.push(`${name} is made of ${disk.name}, which is the disk of ${other.metadata.name}`);
    this.#made.set(name, disk);
    this.#tenants.delete(disk);
  }

  /** A disk without a name that has another path since it was put in again is not known to be the same by anybody. */
  #isOf({ metadata, spec }: PersistentVolume, disk: SimulatedDisk): boolean {
    if (this.#made.get(metadata.name ?? '') !== disk) return false;
    return Boolean(disk.described.wwid) || this.#diskAt(spec?.local?.path ?? '') === disk;
  }

  #isDeleted({ metadata, status }: PersistentVolume): void {
    if (status?.phase !== 'Released') this.violations.push(`${metadata.name} is deleted while it is ${status?.phase}`);
  }

  #ledgerChanges(): void {
    if (this.#isSomebodyElse) return;
    try {
      void this.ledger;
    } catch (error) {
      this.violations.push(`the ledger cannot be read: ${error}`);
    }
  }

  #diskAt(path: string): SimulatedDisk | undefined {
    try {
      const { device } = this.machine.tree.stat(path);
      return device && this.machine.disk(device);
    } catch {
      return undefined;
    }
  }

  #disks(): readonly SimulatedDisk[] {
    const names = this.machine.tree.list('/dev').map((name) => this.#diskAt(`/dev/${name}`));
    return names.filter((disk) => disk !== undefined);
  }
}

function never(): never {
  throw new Error('there is none');
}

const headOf = (isRaw: boolean): Buffer => (isRaw ? Buffer.alloc(FILESYSTEM.length) : Buffer.from(FILESYSTEM));

const isThere = (tenant: Tenant, disk: SimulatedDisk): boolean =>
  tenant.places.some((place) => isAt(tenant, disk, place));

function isAt({ data }: Tenant, disk: SimulatedDisk, place: number): boolean {
  const found = Buffer.alloc(data.length);
  disk.read(found, place);
  return found.equals(data);
}
