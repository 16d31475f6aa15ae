/** For tests: watches everything that is done to the disks and volumes of a simulated node, knows whose data is where, and notes what must never happen. */

import {
  aDeviceInUseIsNeverWritten,
  aVolumeIsDeletedOnlyWhenItIsReleased,
  aVolumeIsMadeOnlyOfACleanDevice,
} from '../../test/invariants/devices.ts';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { SimulatedCluster } from '../api/simulated-cluster.ts';
import { Refuse, Retry } from '../kit/controller/outcome.ts';
import { FileError } from '../kit/host/file-error.ts';
import type { SimulatedDisk } from '../kit/host/simulated/disk.ts';
import type { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { type LedgerState, parseLedger } from './ledger/format.ts';

/** Somebody whose data is on a disk. */
interface Tenant {
  readonly name: string;
  /** What is written everywhere, so that it can be found again. */
  readonly data: Buffer;
  readonly places: readonly number[];
  hasLeft: boolean;
}

/** The volumes of a cluster, and those who want to know what is about to happen to them. */
type Watched = Pick<SimulatedCluster, 'volumes' | 'onCreate' | 'onDelete'>;

export class Oracle {
  /** What must never happen, and has. */
  readonly violations: string[] = [];
  readonly #machine: SimulatedMachine;
  readonly #cluster: Watched;
  readonly #ledger: string;
  readonly #tenants = new Map<SimulatedDisk, Tenant[]>();
  /** Which disk each volume was made of. */
  readonly #made = new Map<string, SimulatedDisk>();
  #isSomebodyElse = false;

  constructor(machine: SimulatedMachine, cluster: Watched, ledger: string) {
    this.#machine = machine;
    this.#cluster = cluster;
    this.#ledger = ledger;
    cluster.onCreate = (volume) => this.#isMade(volume);
    cluster.onDelete = (volume) => this.#isDeleted(volume);
    machine.tree.onChange((directory, name) => {
      if (`${directory}/${name}` === ledger) this.#ledgerChanges();
    });
  }

  watch(disk: SimulatedDisk): void {
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

  /** What somebody else than the agent does. */
  allow(act: () => void): void {
    this.#isSomebodyElse = true;
    act();
    this.#isSomebodyElse = false;
  }

  /** Somebody writes to the disk, and needs it until he leaves. */
  moveIn(name: string, disk: SimulatedDisk, head: Buffer): void {
    const data = Buffer.from(`the data of ${name}, all of it;`.padEnd(64, '.'));
    const places = [512, 4096 - 32, disk.sizeBytes / 2, disk.sizeBytes - 64].map(Math.floor);
    this.#tenants.set(disk, [...(this.#tenants.get(disk) ?? []), { name, data, places, hasLeft: false }]);
    this.allow(() => {
      disk.write(head, 0);
      for (const place of places) disk.write(data, place);
      disk.content.sync();
    });
  }

  leave(disk: SimulatedDisk): void {
    for (const tenant of this.#tenants.get(disk) ?? []) tenant.hasLeft = true;
  }

  /** The last one who left has not left after all. */
  comeBack(disk: SimulatedDisk): void {
    const tenant = this.#tenants.get(disk)?.at(-1);
    if (tenant) tenant.hasLeft = false;
  }

  /** The disk that the volume was made of, wherever that is now. */
  diskOf(volume: string): SimulatedDisk | undefined {
    return this.#made.get(volume);
  }

  /** Whether nothing of what anybody had on it is still there. */
  isClean(disk: SimulatedDisk): boolean {
    return (this.#tenants.get(disk) ?? []).every((tenant) => !isThere(tenant, disk));
  }

  /** Whether all that he had is still there. */
  isIntact(disk: SimulatedDisk): boolean {
    const tenant = this.#tenants.get(disk)?.at(-1);
    return tenant?.places.every((place) => isAt(tenant, disk, place)) ?? false;
  }

  get ledger(): LedgerState {
    return parseLedger(Buffer.from(this.#machine.tree.read(this.#ledger)).toString());
  }

  diskAt(path: string): SimulatedDisk | undefined {
    try {
      const { device } = this.#machine.tree.stat(path);
      return device && this.#machine.disk(device);
    } catch {
      return undefined;
    }
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

  #isWritten(disk: SimulatedDisk): void {
    if (this.#isSomebodyElse) return;
    const { mounts, strangers } = this.#machine;
    const { number, name } = disk;
    const isOpen = mounts.some(({ device }) => device === number) || strangers.some(({ device }) => device === number);
    const tenant = this.#tenants.get(disk)?.find(({ hasLeft }) => !hasLeft)?.name;
    const bound = this.#cluster.volumes
      .filter(({ metadata, status }) => status?.phase === 'Bound' && this.#made.get(metadata.name ?? '') === disk)
      .map(({ metadata }) => metadata.name ?? '');
    this.violations.push(...aDeviceInUseIsNeverWritten({ device: name, isOpen, tenant, bound }));
  }

  #isMade({ metadata, spec }: PersistentVolume): void {
    const name = metadata.name ?? '';
    const disk = this.diskAt(spec?.local?.path ?? '');
    if (!disk) return void this.violations.push(`${name} is made of no disk`);
    const others = this.#cluster.volumes
      .filter((other) => this.#isOf(other, disk))
      .map(({ metadata: { name: other = '' } }) => other);
    const made = { volume: name, device: disk.name, isClean: this.isClean(disk), others };
    this.violations.push(...aVolumeIsMadeOnlyOfACleanDevice(made));
    this.#made.set(name, disk);
    this.#tenants.delete(disk);
  }

  /** A disk without a name that has another path since it was put in again is not known to be the same by anybody. */
  #isOf({ metadata, spec }: PersistentVolume, disk: SimulatedDisk): boolean {
    if (this.#made.get(metadata.name ?? '') !== disk) return false;
    return Boolean(disk.described.wwid) || this.diskAt(spec?.local?.path ?? '') === disk;
  }

  #isDeleted({ metadata, status }: PersistentVolume): void {
    if (this.#isSomebodyElse) return;
    this.violations.push(...aVolumeIsDeletedOnlyWhenItIsReleased(metadata.name ?? '', status?.phase));
  }

  #ledgerChanges(): void {
    if (this.#isSomebodyElse) return;
    try {
      void this.ledger;
    } catch (error) {
      this.violations.push(`the ledger cannot be read: ${error}`);
    }
  }
}

const isThere = (tenant: Tenant, disk: SimulatedDisk): boolean =>
  tenant.places.some((place) => isAt(tenant, disk, place));

function isAt({ data }: Tenant, disk: SimulatedDisk, place: number): boolean {
  const found = Buffer.alloc(data.length);
  disk.read(found, place);
  return found.equals(data);
}
