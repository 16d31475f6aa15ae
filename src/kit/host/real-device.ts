/** Block devices of the machine that this program runs on. */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { alignedBuffer, isAligned } from './aligned-buffer.ts';
import { type BlockDevices, checkPlace, type DeviceFacts, type OpenDevice, type OpenOptions } from './block-device.ts';
import { attemptOnDevice, DeviceError } from './device-error.ts';
import { readDeviceFacts } from './device-facts.ts';
import { type DeviceNumber, deviceNumber } from './device-number.ts';

export function realDevices(sysRoot: string): BlockDevices {
  const facts = (number: DeviceNumber) => readDeviceFacts(sysRoot, number);
  return {
    open: (path, options) => attemptOnDevice('open', path, () => openDevice(path, options, facts)),
    facts,
  };
}

type FactsOf = (number: DeviceNumber) => Promise<DeviceFacts | undefined>;

/** Looks before it opens, because opening another kind of device can do things; then looks at the descriptor, which is what counts. */
async function openDevice(path: string, options: OpenOptions, facts: FactsOf): Promise<OpenDevice> {
  if (!(await stat(path)).isBlockDevice()) throw notABlockDevice(path);
  const handle = await open(path, flagsOf(options));
  try {
    const found = await handle.stat({ bigint: true });
    if (!found.isBlockDevice()) throw notABlockDevice(path);
    const device = new RealOpenDevice(path, handle, deviceNumber(found.rdev), options.direct ?? false, facts);
    if (options.access === 'read-write' && (await device.facts()).readOnly) throw readOnly(path);
    return device;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function flagsOf({ access, exclusive, direct }: OpenOptions): number {
  const { O_RDONLY, O_RDWR, O_EXCL, O_DIRECT, O_NOCTTY } = constants;
  return (access === 'read' ? O_RDONLY : O_RDWR) | (exclusive ? O_EXCL : 0) | (direct ? O_DIRECT : 0) | O_NOCTTY;
}

/** The kernel opens most read-only devices for writing and only fails the writes. */
function readOnly(path: string): DeviceError {
  return new DeviceError('open', path, 'read-only', 'the device is read-only');
}

function notABlockDevice(path: string): DeviceError {
  return new DeviceError('open', path, 'not-a-block-device', 'it is not a block device');
}

class RealOpenDevice implements OpenDevice {
  readonly path: string;
  readonly number: DeviceNumber;
  readonly #handle: FileHandle;
  readonly #direct: boolean;
  readonly #facts: FactsOf;

  constructor(path: string, handle: FileHandle, number: DeviceNumber, direct: boolean, facts: FactsOf) {
    this.path = path;
    this.number = number;
    this.#handle = handle;
    this.#direct = direct;
    this.#facts = facts;
  }

  get fd(): number {
    return this.#handle.fd;
  }

  async facts(): Promise<DeviceFacts> {
    const facts = await this.#facts(this.number);
    if (!facts)
      throw new DeviceError('look at', this.path, 'missing', `the kernel has no device ${this.number} any more`);
    return facts;
  }

  async read(into: Uint8Array, position: number): Promise<void> {
    checkPlace(position, into.length);
    const buffer = this.#direct && !isAligned(into) ? alignedBuffer(into.length) : into;
    await this.#whole('read', buffer, position, async (offset) => {
      const { bytesRead } = await this.#handle.read(buffer, offset, buffer.length - offset, position + offset);
      return bytesRead;
    });
    if (buffer !== into) into.set(buffer);
  }

  async write(from: Uint8Array, position: number): Promise<void> {
    checkPlace(position, from.length);
    const buffer = this.#direct && !isAligned(from) ? alignedCopy(from) : from;
    await this.#whole('write', buffer, position, async (offset) => {
      const { bytesWritten } = await this.#handle.write(buffer, offset, buffer.length - offset, position + offset);
      return bytesWritten;
    });
  }

  sync(): Promise<void> {
    return attemptOnDevice('sync', this.path, () => this.#handle.sync());
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The system may do less than it was asked for; goes on until all is done. */
  async #whole(doing: string, { length }: Uint8Array, position: number, some: (offset: number) => Promise<number>) {
    await attemptOnDevice(`${doing} ${length} bytes at ${position} of`, this.path, async () => {
      for (let done = 0; done < length; ) {
        const now = await some(done);
        if (now === 0)
          throw new DeviceError(`${doing} at ${position + done} of`, this.path, 'out-of-range', 'it ends there');
        done += now;
      }
    });
  }
}

function alignedCopy(bytes: Uint8Array): Buffer {
  const copy = alignedBuffer(bytes.length);
  copy.set(bytes);
  return copy;
}
