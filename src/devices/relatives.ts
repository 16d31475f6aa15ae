/**
 * Devices of the host that are made of the same bytes as another one. The kernel protects a device from being used twice by its number
 * only: that the same bytes have another number as well has to be found out. Pure, except for the reading of all there is.
 */
import type { DeviceFacts } from '../kit/host/block-device.ts';
import { type DeviceNumber, parseDeviceNumber } from '../kit/host/device-number.ts';
import { FileError } from '../kit/host/file-error.ts';
import type { Host } from '../kit/host/host.ts';
import type { Loop } from '../kit/host/loops.ts';

export interface Relatives {
  /**
   * Who uses one of these uses the device: its partitions, the disk that it is a partition of, partitions that overlap it, the same
   * disk by another way, and what is behind it if it is a loop device.
   */
  readonly sharing: readonly DeviceFacts[];
  /** What it is built of (the disks of a volume group, of a RAID). That these are in use is only natural. */
  readonly beneath: readonly DeviceFacts[];
}

/** One directory entry for each block device that the kernel has. */
const ALL_DEVICES = '/sys/dev/block';

/** Every device of the host, the given one among them. One that goes while it is looked at is none any more. */
export async function allDevices(host: Host, facts: DeviceFacts): Promise<readonly DeviceFacts[]> {
  const disk = facts.partition && (await host.devices.facts(facts.partition.disk));
  const close = [facts, ...(disk ? [disk] : [])].flatMap(({ number, partitions }) => [
    number,
    ...partitions.map((partition) => partition.number),
  ]);
  const numbers = new Set([...close, ...(await listed(host))]);
  const all = await Promise.all([...numbers].map((number) => host.devices.facts(number)));
  return all.filter((one) => one !== undefined);
}

/** A machine that does not list them (no real one) has only those that are found from the device itself. */
async function listed(host: Host): Promise<readonly DeviceNumber[]> {
  try {
    return (await host.files.list(ALL_DEVICES)).map(parseDeviceNumber).filter((number) => number !== undefined);
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return [];
    throw error;
  }
}

export function relativesOf(facts: DeviceFacts, all: readonly DeviceFacts[], loops: readonly Loop[]): Relatives {
  const family = new Family(all, loops);
  return { sharing: family.sharing(facts), beneath: family.beneath(facts) };
}

class Family {
  readonly #all: readonly DeviceFacts[];
  readonly #byNumber: ReadonlyMap<DeviceNumber, DeviceFacts>;
  readonly #loops: ReadonlyMap<DeviceNumber, Loop>;

  constructor(all: readonly DeviceFacts[], loops: readonly Loop[]) {
    this.#all = all;
    this.#byNumber = new Map(all.map((one) => [one.number, one]));
    this.#loops = new Map(loops.map((loop) => [loop.number, loop]));
  }

  /** Its own, and those of what is behind it: a loop device may be all of that. Not those of its disk, whose other parts are none of its bytes. */
  sharing(facts: DeviceFacts): readonly DeviceFacts[] {
    const found = new Set<DeviceFacts>();
    for (const one of this.#downwards(facts)) {
      found.add(one);
      for (const other of this.#all) if (this.#overlap(one, other)) found.add(other);
    }
    return [...found].filter(({ number }) => number !== facts.number);
  }

  beneath(facts: DeviceFacts): readonly DeviceFacts[] {
    const found = new Map<DeviceNumber, DeviceFacts>([[facts.number, facts]]);
    for (const { name } of found.values())
      for (const other of this.#all) if (isHeldBy(other, name)) found.set(other.number, other);
    found.delete(facts.number);
    return [...found.values()];
  }

  /** A loop device, what is behind it, what is behind that, … */
  *#downwards(facts: DeviceFacts): Generator<DeviceFacts> {
    const passed = new Set<DeviceNumber>();
    for (let one: DeviceFacts | undefined = facts; one && !passed.has(one.number); ) {
      passed.add(one.number);
      yield one;
      const behind = this.#behind(one);
      one = behind && this.#byNumber.get(behind);
    }
  }

  #behind(facts: DeviceFacts): DeviceNumber | undefined {
    const backing = this.#loops.get(this.#diskOf(facts).number)?.backing;
    return backing?.kind === 'block-device' ? backing.number : undefined;
  }

  #diskOf(facts: DeviceFacts): DeviceFacts {
    return (facts.partition && this.#byNumber.get(facts.partition.disk)) ?? facts;
  }

  #overlap(one: DeviceFacts, other: DeviceFacts): boolean {
    const [disk, otherDisk] = [this.#diskOf(one), this.#diskOf(other)];
    if (isOverSameBacking(disk, otherDisk)) return disk.number !== otherDisk.number || isSameRange(one, other);
    return isSameDisk(disk, otherDisk) && isSameRange(one, other);
  }
}

/** Where on it each of two loop devices begins is not known: all of the one may be all of the other. */
const isOverSameBacking = (one: DeviceFacts, other: DeviceFacts): boolean =>
  one.loopBackingFile !== undefined && one.loopBackingFile === other.loopBackingFile;

/** A disk that has two ways to the machine, and no driver that makes one of them, is there twice under one name. */
function isSameDisk(one: DeviceFacts, other: DeviceFacts): boolean {
  if (one.number === other.number) return true;
  if (one.wwid !== undefined || other.wwid !== undefined) return one.wwid === other.wwid;
  return one.serial !== undefined && one.serial === other.serial && one.model === other.model;
}

function isSameRange(one: DeviceFacts, other: DeviceFacts): boolean {
  const [start, otherStart] = [one.partition?.startBytes ?? 0, other.partition?.startBytes ?? 0];
  return start < otherStart + other.sizeBytes && otherStart < start + one.sizeBytes;
}

const isHeldBy = ({ holders, partitions }: DeviceFacts, name: string): boolean =>
  [holders, ...partitions.map((partition) => partition.holders)].some((names) => names.includes(name));
