/** Block devices: opening one, knowing which it is, reading and writing it. */
import type { Descriptor } from './command.ts';
import type { DeviceNumber } from './device-number.ts';

export interface BlockDevices {
  /** Opens the block device that a path leads to. Rejects with a `DeviceError`; a regular file is not a block device. */
  open(path: string, options: OpenOptions): Promise<OpenDevice>;
  /** What the kernel knows about a device, without opening it. `undefined` when it has no such device. */
  facts(number: DeviceNumber): Promise<DeviceFacts | undefined>;
}

export interface OpenOptions {
  /** A read-only device is not opened for writing, although the kernel would. */
  readonly access: 'read' | 'read-write';
  /** Fails as `busy` while the kernel has the device in use (mounted, swap, LVM, RAID, …) or somebody else holds it in this way. */
  readonly exclusive?: boolean;
  /** Past the page cache. Position and length must then be multiples of the logical block. */
  readonly direct?: boolean;
}

/**
 * An open block device. It stays the same device whatever happens to the path that it was opened by. To be closed in any case:
 * `await using device = await host.devices.open(…)`.
 */
export interface OpenDevice extends AsyncDisposable, Descriptor {
  readonly path: string;
  /** Read from the descriptor, not from the path. */
  readonly number: DeviceNumber;
  /** What the kernel knows about this device now. Rejects (`missing`) when it is gone. */
  facts(): Promise<DeviceFacts>;
  /** Fills the whole buffer from `position`, or rejects. A position that is no byte of any device is a `RangeError`, here and in `write`. */
  read(into: Uint8Array, position: number): Promise<void>;
  /** Writes the whole buffer at `position`, or rejects; then some of it may have been written. Memory of `alignedBuffer` is written without a copy. */
  write(from: Uint8Array, position: number): Promise<void>;
  /** Resolves when everything written is on the device. */
  sync(): Promise<void>;
  /** Closing twice does no harm. */
  close(): Promise<void>;
}

export interface DeviceFacts {
  readonly number: DeviceNumber;
  /** The kernel's name, such as `sda1`. It can be another device's after the next boot. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly readOnly: boolean;
  readonly rotational: boolean;
  readonly logicalBlockBytes: number;
  /** The most that one discard may cover; 0 when the device has none. */
  readonly discardMaxBytes: number;
  /** The most that one write-zeroes may cover; 0 when the device has none and the kernel would write zeroes itself. */
  readonly writeZeroesMaxBytes: number;
  /** The world wide name of the disk, or what stands for one (the device mapper's uuid). */
  readonly wwid?: string;
  readonly serial?: string;
  readonly model?: string;
  /** Counts disks as they appear: a disk that was taken out and put back has another. Means nothing after the next boot. */
  readonly diskSequence?: string;
  /** Set when this is a partition. Then `wwid`, `serial` and `model` are those of the disk. */
  readonly partition?: { readonly disk: DeviceNumber; readonly index: number; readonly startBytes: number };
  readonly partitions: readonly PartitionFacts[];
  /** Names of the devices built on this one (LVM, crypt, RAID, …). */
  readonly holders: readonly string[];
  /** Set when this is a loop device in use: the path of what is behind it. */
  readonly loopBackingFile?: string;
}

export interface PartitionFacts {
  readonly number: DeviceNumber;
  readonly name: string;
  readonly startBytes: number;
  readonly sizeBytes: number;
  readonly holders: readonly string[];
}

/**
 * Every number under which bytes of the device can be read and written: its own, those of its partitions, and that of the disk that
 * it is a partition of. Whoever asks whether a device is in use asks about all of them.
 */
export function numbersOf({ number, partitions, partition }: DeviceFacts): readonly DeviceNumber[] {
  return [number, ...partitions.map((part) => part.number), ...(partition ? [partition.disk] : [])];
}

/**
 * Throws unless a device could have a byte at each of these places. Node takes what is not a safe integer, and -1, for "wherever the
 * descriptor is now": a miscounted position would silently overwrite the beginning of the device.
 */
export function checkPlace(position: number, length: number): void {
  if (Number.isSafeInteger(position) && position >= 0 && Number.isSafeInteger(position + length)) return;
  throw new RangeError(
    `${length} bytes at ${position} are on no device: a position is a whole number from 0 to 2^53 - 1`,
  );
}
