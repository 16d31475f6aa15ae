/** Loop devices and what is behind them. The kernel gives a path only, which must be looked up again to know what it is. */
import { join } from 'node:path';
import { type DeviceNumber, parseDeviceNumber } from './device-number.ts';
import { FileError } from './file-error.ts';
import type { Files } from './files.ts';

export interface Loop {
  readonly name: string;
  readonly number: DeviceNumber;
  /** As the kernel gives it; `… (deleted)` when the path is gone. */
  readonly backingFile: string;
  readonly backing: LoopBacking;
}

type LoopBacking =
  | { readonly kind: 'file' }
  | { readonly kind: 'block-device'; readonly number: DeviceNumber }
  /** The path leads nowhere from here (deleted, or of another mount namespace): it may be anything. */
  | { readonly kind: 'unknown'; readonly reason: string };

export async function readLoops(files: Files, sysRoot: string, hostRoot: string): Promise<readonly Loop[]> {
  const names = (await files.list(join(sysRoot, 'block'))).filter((name) => /^loop\d+$/.test(name));
  const loops = await Promise.all(names.map((name) => readLoop(files, join(sysRoot, 'block', name), name, hostRoot)));
  return loops.filter((loop) => loop !== undefined);
}

/** A loop device that is not in use has no backing file. */
async function readLoop(files: Files, directory: string, name: string, hostRoot: string): Promise<Loop | undefined> {
  const backingFile = (await files.readText(join(directory, 'loop/backing_file')))?.replace(/\n$/, '');
  if (!backingFile) return undefined;
  const number = parseDeviceNumber((await files.readText(join(directory, 'dev')))?.trim() ?? '');
  if (!number) throw new FileError('understand', join(directory, 'dev'), 'EINVAL');
  return { name, number, backingFile, backing: await backingOf(files, join(hostRoot, backingFile)) };
}

/** What is behind it was deleted, and what is at its path now, or under the name with the kernel's remark, is something else. */
const DELETED = / \(deleted\)$/;

async function backingOf(files: Files, path: string): Promise<LoopBacking> {
  if (DELETED.test(path)) return { kind: 'unknown', reason: `${path.replace(DELETED, '')} was deleted` };
  try {
    const stat = await files.stat(path);
    if (stat?.kind === 'block-device' && stat.device) return { kind: 'block-device', number: stat.device };
    if (stat?.kind === 'file') return { kind: 'file' };
    return { kind: 'unknown', reason: stat ? `${path} is neither a file nor a block device` : `there is no ${path}` };
  } catch (error) {
    return { kind: 'unknown', reason: error instanceof Error ? error.message : String(error) };
  }
}
