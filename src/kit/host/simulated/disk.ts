/** A simulated disk or a partition of one. What a test may change about it while the program runs is writable. */
import type { DeviceFacts, PartitionFacts } from '../block-device.ts';
import type { DeviceNumber } from '../device-number.ts';
import type { DiskContent } from './disk-content.ts';
import { SparseBytes } from './sparse-bytes.ts';

type Settable = Omit<DeviceFacts, 'number' | 'name' | 'partition' | 'partitions'>;

export interface DiskDescription extends Partial<Settable> {
  readonly name: string;
  readonly sizeBytes: number;
  /** In memory without it. */
  readonly content?: DiskContent;
}

export class SimulatedDisk {
  readonly number: DeviceNumber;
  readonly name: string;
  readonly content: DiskContent;
  /** What /sys says about it. */
  described: Settable;
  /** False when the disk has been pulled out. */
  attached = true;
  readonly partitions: SimulatedDisk[] = [];
  readonly #place: { readonly disk: SimulatedDisk; readonly index: number; readonly startBytes: number } | undefined;

  constructor(
    number: DeviceNumber,
    description: DiskDescription,
    place?: { disk: SimulatedDisk; index: number; startBytes: number },
  ) {
    const { name, content, ...described } = description;
    this.number = number;
    this.name = name;
    this.content = place?.disk.content ?? content ?? new SparseBytes();
    this.described = { ...ORDINARY, ...described };
    this.#place = place;
    place?.disk.partitions.push(this);
  }

  /** The disk that this is a partition of. */
  get whole(): SimulatedDisk | undefined {
    return this.#place?.disk;
  }

  get sizeBytes(): number {
    return this.described.sizeBytes;
  }

  get facts(): DeviceFacts {
    const partition = this.#place && { ...this.#place, disk: this.#place.disk.number };
    return {
      ...this.described,
      number: this.number,
      name: this.name,
      ...(partition && { partition }),
      partitions: this.partitions.map((part) => part.#asPartition),
    };
  }

  get #asPartition(): PartitionFacts {
    const { number, name, sizeBytes, described } = this;
    return { number, name, startBytes: this.#place?.startBytes ?? 0, sizeBytes, holders: described.holders };
  }

  read(into: Uint8Array, position: number): void {
    this.content.read(into, this.#absolute(position));
  }

  write(bytes: Uint8Array, position: number): void {
    this.content.write(bytes, this.#absolute(position));
  }

  /** As by a discard or a write-zeroes: takes no memory, however large the range. */
  zero(position: number, length: number): void {
    this.content.zero(this.#absolute(position), length);
  }

  isZero(position = 0, length = this.sizeBytes - position): boolean {
    return this.content.isZero(this.#absolute(position), length);
  }

  #absolute(position: number): number {
    return position + (this.#place?.startBytes ?? 0);
  }
}

const ORDINARY: Omit<Settable, 'sizeBytes'> = {
  readOnly: false,
  rotational: false,
  logicalBlockBytes: 512,
  discardMaxBytes: 0,
  writeZeroesMaxBytes: 0,
  holders: [],
};
