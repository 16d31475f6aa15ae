/** The block devices of a simulated machine as one of its processes sees them. */
import { type BlockDevices, checkPlace, type DeviceFacts, type OpenDevice, type OpenOptions } from '../block-device.ts';
import { DeviceError, deviceError } from '../device-error.ts';
import type { DeviceNumber } from '../device-number.ts';
import { errorCode } from '../file-error.ts';
import type { SimulatedDisk } from './disk.ts';
import type { SimulatedMachine } from './machine.ts';
import type { SimulatedProcess } from './process.ts';

/** The descriptors that a process has open, which the kernel closes when it ends. */
export class DescriptorTable {
  readonly #open = new Map<number, SimulatedOpenDevice>();
  #next = 20;

  add(device: SimulatedOpenDevice): number {
    this.#open.set(this.#next, device);
    return this.#next++;
  }

  get(fd: number): SimulatedOpenDevice | undefined {
    return this.#open.get(fd);
  }

  remove(fd: number): void {
    this.#open.delete(fd);
  }

  clear(): void {
    this.#open.clear();
  }

  [Symbol.iterator](): Iterator<[number, SimulatedOpenDevice]> {
    return this.#open.entries();
  }
}

export function simulatedDevices(
  machine: SimulatedMachine,
  process: SimulatedProcess,
  table: DescriptorTable,
): BlockDevices {
  return {
    open: (path, options) =>
      process.perform({ verb: 'device.open', target: path, changes: false }, () => {
        const disk = diskAt(machine, path);
        refuseToOpen(machine, disk, path, options);
        return new SimulatedOpenDevice(path, disk, options, process, table);
      }),
    facts: (number) =>
      process.perform({ verb: 'device.facts', target: number, changes: false }, () => machine.disk(number)?.facts),
  };
}

function diskAt(machine: SimulatedMachine, path: string): SimulatedDisk {
  const node = nodeAt(machine, path);
  if (node.kind !== 'block-device' || !node.device)
    throw new DeviceError('open', path, 'not-a-block-device', 'it is not a block device');
  const disk = machine.disk(node.device);
  if (!disk) throw deviceError('open', path, 'ENXIO');
  return disk;
}

function nodeAt(machine: SimulatedMachine, path: string) {
  try {
    return machine.tree.stat(path);
  } catch (error) {
    throw deviceError('open', path, errorCode(error), error);
  }
}

function refuseToOpen(machine: SimulatedMachine, disk: SimulatedDisk, path: string, options: OpenOptions): void {
  if (options.access === 'read-write' && disk.described.readOnly)
    throw new DeviceError('open', path, 'read-only', 'the device is read-only');
  if (options.exclusive && machine.isClaimed(disk)) throw deviceError('open', path, 'EBUSY');
}

export class SimulatedOpenDevice implements OpenDevice {
  readonly path: string;
  readonly number: DeviceNumber;
  readonly disk: SimulatedDisk;
  readonly options: OpenOptions;
  readonly #process: SimulatedProcess;
  readonly #table: DescriptorTable;
  #fd: number;

  constructor(
    path: string,
    disk: SimulatedDisk,
    options: OpenOptions,
    process: SimulatedProcess,
    table: DescriptorTable,
  ) {
    this.path = path;
    this.number = disk.number;
    this.disk = disk;
    this.options = options;
    this.#process = process;
    this.#table = table;
    this.#fd = table.add(this);
  }

  get fd(): number {
    return this.#fd;
  }

  facts(): Promise<DeviceFacts> {
    return this.#perform('facts', {}, () => {
      if (this.disk.attached) return this.disk.facts;
      throw new DeviceError('look at', this.path, 'missing', `the kernel has no device ${this.number} any more`);
    });
  }

  async read(into: Uint8Array, position: number): Promise<void> {
    checkPlace(position, into.length);
    return this.#perform('read', { position, length: into.length }, () => {
      this.#check('read', position, into.length);
      this.disk.read(into, position);
    });
  }

  async write(from: Uint8Array, position: number): Promise<void> {
    checkPlace(position, from.length);
    return this.#perform('write', { position, length: from.length }, () => {
      if (this.options.access === 'read') throw deviceError('write', this.path, 'EBADF');
      this.#check('write', position, from.length);
      this.disk.write(from, position);
    });
  }

  sync(): Promise<void> {
    return this.#perform('sync', {}, () => {
      this.#check('sync', 0, 0);
      this.disk.content.sync();
    });
  }

  async close(): Promise<void> {
    this.#table.remove(this.#fd);
    this.#fd = -1;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #perform<T>(
    action: 'facts' | 'read' | 'write' | 'sync',
    range: { position?: number; length?: number },
    effect: () => T,
  ) {
    const changes = action === 'write' || action === 'sync';
    return this.#process.perform({ verb: `device.${action}`, target: this.path, changes, ...range }, effect);
  }

  #check(doing: string, position: number, length: number): void {
    const fail = (code: string) => deviceError(`${doing} ${length} bytes at ${position} of`, this.path, code);
    if (this.#fd < 0) throw fail('EBADF');
    if (!this.disk.attached) throw fail('EIO');
    const block = this.options.direct ? this.disk.described.logicalBlockBytes : 1;
    if (position % block !== 0 || length % block !== 0) throw fail('EINVAL');
    if (position + length > this.disk.sizeBytes) throw fail('ENOSPC');
  }
}
