/** For tests: a node with disks, the cluster that it is of, and those who live in both. */
import { SimulatedCluster, VOLUMES } from '../api/simulated-cluster.ts';
import { settled, VirtualClock } from '../kit/clock/virtual.ts';
import type { DiskDescription, SimulatedDisk } from '../kit/host/simulated/disk.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import type { Operation } from '../kit/host/simulated/operation.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { formatApprovals } from './approvals.ts';
import { APPROVALS_ANNOTATION, CONFIG_ANNOTATION, type DevicesSettings } from './contract.ts';
import { identityOf, keyOf } from './identity.ts';
import type { LedgerState } from './ledger/format.ts';
import type { RefusalFact } from './refusals.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { BANDWIDTH, DEVICE_DIR, DISK_BYTES, headOf, LEDGER, SimulatedDisks, STATE_DIR } from './simulated-disks.ts';
import { Oracle } from './simulated-node-oracle.ts';

export { DEVICE_DIR, DISK_BYTES, LEDGER };

const NODE = 'n1';
const NAMESPACE = 'holdfast';
const CONFIG_MAP = 'disks';

export const volumeAt = (link: string): string => `local-${NODE}-${link}`;

export class SimulatedNode {
  readonly clock = new VirtualClock();
  readonly machine = new SimulatedMachine(this.clock);
  readonly cluster = new SimulatedCluster(this.clock);
  readonly events: Occurrence[] = [];
  /** Of the next process. */
  settings: DevicesSettings;
  readonly #disks = new SimulatedDisks(this.machine);
  readonly #oracle = new Oracle(this.machine, this.cluster, LEDGER);
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
    this.cluster.put('namespaces', { metadata: { name: 'kube-system', uid: 'cluster-1' } });
    this.annotate({});
    this.configure(config);
  }

  /** What must never happen, and has. */
  get violations(): string[] {
    return this.#oracle.violations;
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
    return this.#watched(this.#disks.add(link, parts));
  }

  /** Another partition behind those that the disk has, as large as a disk, and a link to it in the device directory. */
  addPartition(link: string, whole: SimulatedDisk): SimulatedDisk {
    const startBytes = DISK_BYTES * (whole.partitions.length + 1);
    const partition = this.machine.addPartition(whole, { startBytes, sizeBytes: DISK_BYTES });
    return this.#watched(this.#disks.added(link, partition));
  }

  /** It begins elsewhere on its disk from now on, and has the same number as before. */
  movePartition(link: string, partition: SimulatedDisk): SimulatedDisk {
    const whole = partition.whole ?? never();
    const startBytes = (partition.facts.partition?.startBytes ?? 0) + DISK_BYTES;
    this.machine.removeDisk(partition);
    whole.partitions.length = 0;
    return this.#watched(
      this.#disks.added(link, this.machine.addPartition(whole, { startBytes, sizeBytes: DISK_BYTES })),
    );
  }

  #watched(disk: SimulatedDisk): SimulatedDisk {
    this.#oracle.watch(disk);
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
    return this.machine.tree.list(DEVICE_DIR).filter((link) => this.#oracle.diskAt(`${DEVICE_DIR}/${link}`) === disk);
  }

  link(link: string, disk: SimulatedDisk): void {
    this.#disks.link(link, disk);
  }

  unlink(link: string): void {
    this.#disks.unlink(link);
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

  reboot(): void {
    this.#disks.reboot();
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
    if (disk) this.#oracle.moveIn(tenant, disk, headOf(isRaw));
    return true;
  }

  /** Somebody who has nothing to do with the cluster. */
  putForeignData(disk: SimulatedDisk, { isRaw = false }: { readonly isRaw?: boolean } = {}): void {
    this.#oracle.moveIn(`stranger-${++this.#tenantsSoFar}`, disk, headOf(isRaw));
  }

  /** He leaves the volume, and what he has written with it. */
  release(volume: string): void {
    const disk = this.diskOf(volume);
    const phase = this.cluster.volume(volume)?.status?.phase;
    if (phase !== 'Bound') return;
    if (disk) this.#oracle.leave(disk);
    this.cluster.release(volume);
  }

  /** His claim is restored, and he has the volume again as if he had never left. */
  comeBack(volume: string): void {
    this.#oracle.comeBack(this.diskOf(volume) ?? never());
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

  /** A person knows that nobody needs what is on the disk, and says so. */
  approve(
    disk: SimulatedDisk,
    facts: readonly RefusalFact[],
    path = `${DEVICE_DIR}/${disk.name.slice('sd-'.length)}`,
  ): void {
    this.#oracle.leave(disk);
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
    return this.#oracle.diskOf(volume);
  }

  /** Whether nothing of what anybody had on it is still there. */
  isClean(disk: SimulatedDisk): boolean {
    return this.#oracle.isClean(disk);
  }

  /** Whether all that he had is still there. */
  isIntact(disk: SimulatedDisk): boolean {
    return this.#oracle.isIntact(disk);
  }

  loseLedger(): void {
    this.#oracle.allow(() => this.machine.tree.remove(LEDGER));
  }

  get ledger(): LedgerState {
    return this.#oracle.ledger;
  }

  phaseOf(volume: string): string | undefined {
    return this.cluster.volume(volume)?.status?.phase;
  }

  /** What was written to the API, as `METHOD path`. */
  get apiWrites(): readonly string[] {
    return this.machine.journal.filter(({ target }) => target === 'api').map(({ argv = [] }) => argv.join(' '));
  }

  noteError(error: Error): void {
    this.#oracle.noteError(error);
  }
}

function never(): never {
  throw new Error('there is none');
}
