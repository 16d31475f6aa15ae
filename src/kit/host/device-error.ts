/** Why something could not be done with a block device. */
import { errorCode, meaning } from './file-error.ts';

export type DeviceErrorReason =
  /** There is nothing at the path, or the device behind it is gone. */
  | 'missing'
  | 'not-a-block-device'
  /** It is in use: mounted, swap, part of LVM, crypt or RAID, or held exclusively by somebody. */
  | 'busy'
  | 'read-only'
  | 'denied'
  /** The device does not take this: for a direct read or write, position or length is no multiple of the logical block. */
  | 'refused'
  /** It would reach past the end of the device. */
  | 'out-of-range'
  /** The device failed. */
  | 'io'
  /** What the kernel says about it cannot be read or understood. */
  | 'unreadable'
  | 'failed';

const REMEDIES: Record<DeviceErrorReason, string> = {
  missing: 'Check that the disk is attached and the path is the right one',
  'not-a-block-device': 'Give the path of a block device, or of a link to one',
  busy: 'Find what uses it (`lsblk`, `findmnt`, `swapon --show`, `fuser -v`) and stop that first, if it is to be stopped',
  'read-only': 'Make the device writable, or leave it out',
  denied: 'Check the capabilities and the device rules that this program runs with',
  refused: 'Look in the documentation for this kind of device; if it is an ordinary disk, please report this',
  'out-of-range': 'The device is smaller than thought. Look whether it was replaced or resized',
  io: "Look in the kernel's log: the device may be failing",
  unreadable: 'Check that /sys of the host is mounted where this program runs',
  failed: "Look in the kernel's log",
};

export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  readonly path: string;
  readonly reason: DeviceErrorReason;
  /** What a person can do about it. */
  readonly remedy: string;

  /** `doing` is what was to be done, as in "cannot … /dev/sdb". */
  constructor(doing: string, path: string, reason: DeviceErrorReason, why: string, options?: ErrorOptions) {
    super(`cannot ${doing} ${JSON.stringify(path)}: ${why}. ${REMEDIES[reason]}`, options);
    this.path = path;
    this.reason = reason;
    this.remedy = REMEDIES[reason];
  }
}

/** Does something with a device and turns what the system throws into a `DeviceError`. */
export async function attemptOnDevice<T>(doing: string, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof DeviceError ? error : deviceError(doing, path, errorCode(error), error);
  }
}

/** The error that a code of the system stands for. */
export function deviceError(doing: string, path: string, code: string, cause?: unknown): DeviceError {
  return new DeviceError(doing, path, reasonOf(code), `${meaning(code)} (${code})`, { cause });
}

function reasonOf(code: string): DeviceErrorReason {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENXIO':
    case 'ENODEV':
    case 'ENOMEDIUM':
      return 'missing';
    case 'EBUSY':
      return 'busy';
    case 'EROFS':
      return 'read-only';
    case 'EACCES':
    case 'EPERM':
      return 'denied';
    case 'EINVAL':
      return 'refused';
    case 'ENOSPC':
      return 'out-of-range';
    case 'EIO':
    case 'EREMOTEIO':
    case 'ENODATA':
    case 'EILSEQ':
      return 'io';
    default:
      return 'failed';
  }
}
