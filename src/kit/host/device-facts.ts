/** What /sys says about a block device. What must be known and cannot be read is an error, never a guess. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DeviceFacts, PartitionFacts } from './block-device.ts';
import { DeviceError } from './device-error.ts';
import { type DeviceNumber, parseDeviceNumber } from './device-number.ts';
import { errorCode, isNothingThere } from './file-error.ts';

/** The unit of sizes in /sys, whatever the device's own block is. */
const SECTOR_BYTES = 512;

export async function readDeviceFacts(sysRoot: string, number: DeviceNumber): Promise<DeviceFacts | undefined> {
  const directory = await realpath(join(sysRoot, 'dev/block', number)).catch(undefinedIfNothing);
  if (directory === undefined) return undefined;
  try {
    return await factsIn(await SysDirectory.at(directory), number);
  } catch (error) {
    throw error instanceof DeviceError ? error : unreadable(directory, errorCode(error), error);
  }
}

async function factsIn(device: SysDirectory, number: DeviceNumber): Promise<DeviceFacts> {
  const index = await device.number('partition');
  const disk = index === undefined ? device : await device.parent();
  const optional = {
    wwid: (await disk.text('wwid')) ?? (await disk.text('device/wwid')) ?? (await disk.text('dm/uuid')),
    serial: await serialOf(disk),
    model: await disk.text('device/model'),
    diskSequence: await disk.text('diskseq'),
    partition: index === undefined ? undefined : await partitionOf(device, disk, index),
    loopBackingFile: await device.text('loop/backing_file', 'as it is'),
  };
  return {
    number,
    name: device.name,
    sizeBytes: (await device.required('size')) * SECTOR_BYTES,
    readOnly: (await device.required('ro')) !== 0,
    rotational: (await disk.required('queue/rotational')) !== 0,
    logicalBlockBytes: await disk.required('queue/logical_block_size'),
    discardMaxBytes: await disk.limit('queue/discard_max_bytes'),
    writeZeroesMaxBytes: await disk.limit('queue/write_zeroes_max_bytes'),
    partitions: await partitionsOf(device),
    holders: await device.list('holders'),
    ...withoutUndefined(optional),
  };
}

async function partitionOf(device: SysDirectory, disk: SysDirectory, index: number) {
  return { disk: await disk.deviceNumber(), index, startBytes: (await device.required('start')) * SECTOR_BYTES };
}

/** The kernel names a partition after its disk. */
async function partitionsOf(disk: SysDirectory): Promise<readonly PartitionFacts[]> {
  const partitions: PartitionFacts[] = [];
  for (const name of disk.entriesNamedAfterIt()) {
    const partition = await partitionIn(disk, name);
    if (partition) partitions.push(partition);
  }
  return partitions;
}

/** One that goes while it is read is none any more. One that is there and cannot be read may be in use: that is an error. */
async function partitionIn(disk: SysDirectory, name: string): Promise<PartitionFacts | undefined> {
  try {
    const entry = await disk.child(name);
    if ((await entry.number('partition')) === undefined) return undefined;
    return {
      number: await entry.deviceNumber(),
      name: entry.name,
      startBytes: (await entry.required('start')) * SECTOR_BYTES,
      sizeBytes: (await entry.required('size')) * SECTOR_BYTES,
      holders: await entry.list('holders'),
    };
  } catch (error) {
    if (await disk.stillHas(name)) throw error;
    return undefined;
  }
}

async function serialOf(disk: SysDirectory): Promise<string | undefined> {
  return (
    (await disk.text('serial')) ??
    (await disk.text('device/serial')) ??
    parseSerialPage(await disk.bytes('device/vpd_pg80'))
  );
}

/** SCSI's "unit serial number" page: a header of four bytes that ends in the length, then the text. */
export function parseSerialPage(page: Buffer | undefined): string | undefined {
  if (!page || page.length < 4 || page[1] !== 0x80) return undefined;
  return (
    page
      .toString('latin1', 4, 4 + page.readUInt16BE(2))
      .replaceAll('\0', '')
      .trim() || undefined
  );
}

/** One directory of /sys. An attribute that is not there is `undefined`; one that cannot be read or understood is an error. */
class SysDirectory {
  readonly #path: string;
  readonly #entries: ReadonlySet<string>;

  private constructor(path: string, entries: readonly string[]) {
    this.#path = path;
    this.#entries = new Set(entries);
  }

  static async at(path: string): Promise<SysDirectory> {
    return new SysDirectory(path, (await readdir(path)).sort());
  }

  /** The kernel spells a slash in a device's name as an exclamation mark here. */
  get name(): string {
    return basename(this.#path).replaceAll('!', '/');
  }

  parent(): Promise<SysDirectory> {
    return SysDirectory.at(dirname(this.#path));
  }

  child(name: string): Promise<SysDirectory> {
    return SysDirectory.at(join(this.#path, name));
  }

  async stillHas(name: string): Promise<boolean> {
    return (await stat(join(this.#path, name)).catch(undefinedIfNothing)) !== undefined;
  }

  entriesNamedAfterIt(): readonly string[] {
    return [...this.#entries].filter((entry) => entry.startsWith(basename(this.#path)));
  }

  /** Asks only for what the directory is seen to have, because this is done for every disk of the host. */
  async bytes(attribute: string): Promise<Buffer | undefined> {
    if (!this.#entries.has(attribute.split('/')[0] ?? '')) return undefined;
    return readFile(join(this.#path, attribute)).catch(undefinedIfNone);
  }

  async text(attribute: string, spaces: 'trimmed' | 'as it is' = 'trimmed'): Promise<string | undefined> {
    const text = (await this.bytes(attribute))?.toString('utf8').replace(/\n$/, '');
    return (spaces === 'trimmed' ? text?.trim() : text) || undefined;
  }

  async number(attribute: string): Promise<number | undefined> {
    const text = await this.text(attribute);
    if (text === undefined) return undefined;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value * SECTOR_BYTES))
      throw unreadable(join(this.#path, attribute), JSON.stringify(text));
    return value;
  }

  async required(attribute: string): Promise<number> {
    const value = await this.number(attribute);
    if (value === undefined) throw unreadable(join(this.#path, attribute), 'it is not there');
    return value;
  }

  /** How much a device takes at once: 0 when the kernel does not say, and never more than can be counted. */
  async limit(attribute: string): Promise<number> {
    const text = (await this.text(attribute)) ?? '0';
    if (!/^\d+$/.test(text)) throw unreadable(join(this.#path, attribute), JSON.stringify(text));
    return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  }

  async deviceNumber(): Promise<DeviceNumber> {
    const number = parseDeviceNumber((await this.text('dev')) ?? '');
    if (!number) throw unreadable(join(this.#path, 'dev'), 'it is not a device number');
    return number;
  }

  async list(name: string): Promise<readonly string[]> {
    return (await readdir(join(this.#path, name))).sort();
  }
}

function unreadable(path: string, why: string, cause?: unknown): DeviceError {
  return new DeviceError('understand', path, 'unreadable', why, { cause });
}

function undefinedIfNothing(error: unknown): undefined {
  if (!isNothingThere(error)) throw error;
}

/** A disk that has no such number lets the read fail in one of these ways. */
function undefinedIfNone(error: unknown): undefined {
  if (!['EINVAL', 'ENXIO', 'ENODATA', 'EOPNOTSUPP'].includes(errorCode(error))) undefinedIfNothing(error);
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what is not known, so that "not there" has one spelling. */
function withoutUndefined<T extends object>(facts: T): Given<T> {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Given<T>;
}
