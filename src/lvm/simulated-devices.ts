/** For tests: what is on a simulated volume, and the devices that the device mapper makes of it. */
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { SimulatedDisk } from '../kit/host/simulated/disk.ts';
import type { SimulatedMachine } from '../kit/host/simulated/machine.ts';

/** As much of what can be on a device as anybody looks at. */
export class Content {
  /** As blkid calls it. */
  signature: string | undefined;
  /** False for what a cut-off mkfs has left. */
  isWhole = false;
  /** That somebody has used it, of which its beginning tells. */
  wasMounted = false;
  /** How large its filesystem was made. */
  fsBytes = 0n;
  /** What somebody has written to its filesystem, and needs. */
  data: string | undefined;
  /** That it was on the disk before the volume was made. */
  isOld = false;
  /** How often a filesystem was made on it from beginning to end. */
  formatted = 0;
  /** Nobody can write to its filesystem. */
  isFrozen = false;
  /** Nobody can make anything in its uppermost directory. */
  isImmutable = false;
  /** Of LUKS: which key opens which slot. */
  slots: (string | undefined)[] = [];
  /** Of LUKS: what is seen by who has a key. */
  inside: Content | undefined;

  become(signature: string | undefined, isWhole: boolean): void {
    this.signature = signature;
    this.isWhole = isWhole;
    this.wasMounted = false;
    this.data = undefined;
    this.isOld = false;
    this.slots = [];
    this.inside = undefined;
  }

  /** What a disk shows that somebody has had before, as if it were whole. */
  isOfOneBefore(): void {
    this.become('ext4', true);
    this.isOld = true;
  }

  /** What would be lost if this were overwritten. */
  get precious(): string | undefined {
    return this.data ?? this.inside?.precious;
  }
}

/** A device of the device mapper. */
export interface Mapped {
  readonly number: DeviceNumber;
  readonly disk: SimulatedDisk;
  readonly content: Content;
}

export interface MappedDescription {
  /** In /dev/mapper. */
  readonly name: string;
  /** As the device mapper keeps it for programs: LVM-…, CRYPT-…. */
  readonly uuid: string;
  readonly sizeBytes: bigint;
  readonly content: Content;
  readonly over?: Mapped | undefined;
  /** Other paths that lead to it. */
  readonly links?: readonly string[];
}

const MAJOR = 253;
/** Where something can be read of what is on it. */
const HEAD_BYTES = 4096;
/** Where a filesystem tells that mkfs is not done with it, and how often it was mounted. */
const XFS_IN_PROGRESS = 126;
const EXT_MOUNTS = 1024 + 0x34;

export class DeviceMapper {
  readonly #machine: SimulatedMachine;
  readonly #mapped = new Map<DeviceNumber, Mapped & { readonly paths: readonly string[] }>();
  /** Told of every device that is written to past its filesystem. */
  onWrite: (mapped: Mapped) => void = () => {};

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
    for (const path of ['/dev/mapper', '/sys/block']) machine.tree.mkdir(path);
  }

  /** As by the kernel, it gets the lowest number that is free. */
  make({ name, uuid, sizeBytes, content, over, links = [] }: MappedDescription): Mapped {
    let minor = 0;
    while (this.#mapped.has(`${MAJOR}:${minor}`)) minor += 1;
    const number: DeviceNumber = `${MAJOR}:${minor}`;
    const device = `dm-${minor}`;
    const { tree } = this.#machine;
    const disk = this.#machine.addDisk({ name: device, sizeBytes: Number(sizeBytes), wwid: uuid }, number);
    const paths = [`/dev/mapper/${name}`, ...links];
    for (const path of paths) tree.symlink(`/dev/${device}`, path);
    const sys = `/sys/block/${device}`;
    for (const directory of ['dm', 'slaves']) tree.mkdir(`${sys}/${directory}`);
    tree.write(`${sys}/dev`, `${number}\n`);
    tree.write(`${sys}/dm/uuid`, `${uuid}\n`);
    tree.write(`${sys}/dm/name`, `${name}\n`);
    if (over) {
      tree.mkdir(`${sys}/slaves/${over.disk.name}`);
      hold(over, device);
    }
    const mapped = { number, disk, content, paths };
    this.#mapped.set(number, mapped);
    this.#watch(mapped);
    return mapped;
  }

  remove({ number, disk }: Mapped): void {
    const { tree } = this.#machine;
    for (const path of this.#mapped.get(number)?.paths ?? []) if (this.at(path)?.number === number) tree.remove(path);
    const sys = `/sys/block/${disk.name}`;
    for (const slave of tree.list(`${sys}/slaves`)) tree.remove(`${sys}/slaves/${slave}`);
    for (const part of ['dev', 'dm/uuid', 'dm/name', 'dm', 'slaves', '']) tree.remove(`${sys}/${part}`);
    this.#machine.removeDisk(disk);
    this.#mapped.delete(number);
    for (const each of this.all) unhold(each, disk.name);
  }

  /** Nobody else gets it for himself until the program is done with it. */
  async held<T>(mapped: Mapped, program: string, work: () => Promise<T>): Promise<T> {
    hold(mapped, program);
    try {
      return await work();
    } finally {
      unhold(mapped, program);
    }
  }

  resize({ disk }: Mapped, sizeBytes: bigint): void {
    disk.described = { ...disk.described, sizeBytes: Number(sizeBytes) };
  }

  /** What a path leads to. */
  at(path: string): Mapped | undefined {
    try {
      const { device } = this.#machine.tree.stat(path);
      return device && this.#mapped.get(device);
    } catch {
      return undefined;
    }
  }

  get(number: DeviceNumber): Mapped | undefined {
    return this.#mapped.get(number);
  }

  get all(): readonly Mapped[] {
    return [...this.#mapped.values()];
  }

  /** Whether it is mounted, another device lies on it, or a program holds it. */
  isBusy(mapped: Mapped): boolean {
    const { mounts } = this.#machine;
    const isMounted = mounts.some(({ device, source }) => device === mapped.number || this.at(source) === mapped);
    return isMounted || isHeld(mapped);
  }

  /** The bytes of all that show it, after it has changed. */
  show(content: Content): void {
    for (const mapped of this.all) if (mapped.content === content) render(mapped);
  }

  #watch(mapped: Mapped): void {
    const { disk, content } = mapped;
    render(mapped);
    const overwritten = () => {
      this.onWrite(mapped);
      content.become(undefined, false);
    };
    const [write, zero] = [disk.write.bind(disk), disk.zero.bind(disk)];
    disk.write = (bytes, position) => {
      overwritten();
      write(bytes, position);
    };
    disk.zero = (position, length) => {
      overwritten();
      zero(position, length);
    };
  }
}

export const isHeld = ({ disk }: Mapped): boolean => disk.described.holders.length > 0;

function hold({ disk }: Mapped, by: string): void {
  disk.described = { ...disk.described, holders: [...disk.described.holders, by] };
}

function unhold({ disk }: Mapped, by: string): void {
  disk.described = { ...disk.described, holders: disk.described.holders.filter((holder) => holder !== by) };
}

function render({ disk, content: { signature, isWhole, wasMounted } }: Mapped): void {
  disk.content.zero(0, HEAD_BYTES);
  if (signature === undefined) return;
  disk.content.write(Buffer.from(signature), 0);
  if (signature === 'xfs' && !isWhole && !wasMounted) disk.content.write(Buffer.of(1), XFS_IN_PROGRESS);
  if (signature.startsWith('ext') && wasMounted) disk.content.write(Buffer.of(1), EXT_MOUNTS);
}
