/** What the kernel does to a range of a device by itself: write zeroes, or discard. Far faster than writing where the device helps. */
import type { OpenDevice } from '../host/block-device.ts';
import { CommandError, type Commands } from '../host/command.ts';
import { DeviceError, deviceError } from '../host/device-error.ts';
import type { Extent } from './course.ts';

/** The kernel, or this machine, cannot do it to this device. Nothing was done. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
}

export interface KernelOrder {
  readonly does: 'zero' | 'discard';
  readonly device: OpenDevice;
  readonly commands: Commands;
  readonly signal: AbortSignal;
}

/** A disk that writes a gigabyte of zeroes more slowly than this has failed. */
const PATIENCE_MS = 30 * 60_000;

/**
 * The program gets our descriptor and opens no other device, whatever the path leads to by now. Beyond the end of the device it
 * does nothing and says nothing.
 */
export async function byKernel({ start, length }: Extent, order: KernelOrder): Promise<void> {
  const { does, device, commands, signal } = order;
  const range = ['--offset', `${start}`, '--length', `${length}`];
  const argv = ['blkdiscard', '--force', ...(does === 'zero' ? ['--zeroout'] : []), ...range, '/proc/self/fd/3'];
  try {
    await commands.exec(argv, { inheritFds: [device], timeoutMs: PATIENCE_MS, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof CommandError
      ? reasonOf(error, `${does} ${length} bytes at ${start} of`, device.path)
      : error;
  }
}

function reasonOf(error: CommandError, doing: string, path: string): Error {
  const { stderr } = error.output;
  if (error.outcome.kind === 'not-found' || stderr.includes('Operation not supported'))
    return new NotOffered(error.message, { cause: error });
  const code = Object.entries(CODES).find(([words]) => stderr.includes(words))?.[1];
  if (code) return deviceError(doing, path, code, error);
  return new DeviceError(doing, path, 'failed', error.message, { cause: error });
}

/** As the C library and blkdiscard itself put it. */
const CODES: Readonly<Record<string, string>> = {
  'Input/output error': 'EIO',
  'Remote I/O error': 'EREMOTEIO',
  'No space left on device': 'ENOSPC',
  'offset is greater than device size': 'ENOSPC',
  'No such device': 'ENODEV',
  'Invalid argument': 'EINVAL',
  'Operation not permitted': 'EPERM',
};
