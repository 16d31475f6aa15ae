/** The mount table, as in /proc/PID/mountinfo. */
import { type DeviceNumber, parseDeviceNumber } from './device-number.ts';
import { decodeOctalEscapes } from './octal-escapes.ts';
import { TableError } from './table-error.ts';

export interface Mount {
  readonly id: number;
  readonly parentId: number;
  /** The device of the filesystem. Some filesystems (btrfs, overlay) have a number of their own here; then only `source` tells. */
  readonly device: DeviceNumber;
  /** Which directory of the filesystem is mounted: `/` unless this is a bind mount or a subvolume. */
  readonly root: string;
  readonly mountPoint: string;
  readonly options: readonly string[];
  /** Propagation, such as `shared:12`. */
  readonly propagation: readonly string[];
  readonly fsType: string;
  /** What was given to mount(2) as the device: a path, or any text. */
  readonly source: string;
  readonly superOptions: readonly string[];
}

/** Throws a `TableError` for a line that it does not understand: half a mount table is none. */
export function parseMountinfo(text: string): readonly Mount[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine);
}

function parseLine(line: string): Mount {
  const fields = line.split(' ');
  const separator = fields.indexOf('-', 6);
  const [id = '', parentId = '', number = '', root = '', mountPoint = '', options = ''] = fields;
  const [fsType, source = '', superOptions = ''] = fields.slice(separator + 1);
  const device = parseDeviceNumber(number);
  if (separator < 0 || !/^\d+$/.test(id) || !/^\d+$/.test(parentId) || !device || !fsType)
    throw new TableError('mount table', line);
  return {
    id: Number(id),
    parentId: Number(parentId),
    device,
    root: decodeOctalEscapes(root),
    mountPoint: decodeOctalEscapes(mountPoint),
    options: splitOptions(options),
    propagation: fields.slice(6, separator),
    fsType: decodeOctalEscapes(fsType),
    source: decodeOctalEscapes(source),
    superOptions: splitOptions(superOptions),
  };
}

function splitOptions(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map(decodeOctalEscapes);
}
