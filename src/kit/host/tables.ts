/** What the kernel tells about the whole host: what is mounted, swapped to, open, and behind loop devices. Nothing here is remembered. */
import { join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import type { DeviceNumber } from './device-number.ts';
import { FileError } from './file-error.ts';
import type { Files } from './files.ts';
import { type Holders, holdersOf } from './holders.ts';
import { type Loop, readLoops } from './loops.ts';
import { type Mount, parseMountinfo } from './mounts.ts';
import type { OpenSurvey } from './open-survey.ts';
import { OpenSurveyor } from './open-surveyor.ts';
import { parseSwaps, type Swap } from './swaps.ts';

/** Each rejects when the answer is not known. */
export interface HostTables {
  /** The mounts that a process sees; ours unless told otherwise. Process 1 sees those of the host, if this program shares its process ids. */
  mounts(options?: { readonly pid?: number }): Promise<readonly Mount[]>;
  swaps(): Promise<readonly Swap[]>;
  /** The loop devices in use. */
  loops(): Promise<readonly Loop[]>;
  /** Which processes have which block devices open, and what of that could not be seen. */
  openDevices(): Promise<OpenSurvey>;
  /** Which processes hold a filesystem or its device, by the numbers of either, and what of that could not be seen. */
  holders(numbers: readonly DeviceNumber[]): Promise<Holders>;
}

export interface TableRoots {
  readonly procRoot: string;
  readonly sysRoot: string;
  /** Where paths that the kernel gives as the host sees them are found from here. */
  readonly hostRoot: string;
}

const MAX_TABLE_BYTES = 64 * 2 ** 20;

export function realTables(files: Files, clock: Clock, { procRoot, sysRoot, hostRoot }: TableRoots): HostTables {
  const surveyor = new OpenSurveyor(clock, procRoot);
  return {
    mounts: async (options) => parseMountinfo(await table(`${options?.pid ?? 'self'}/mountinfo`)),
    swaps: async () => parseSwaps(await table('swaps')),
    loops: () => readLoops(files, sysRoot, hostRoot),
    openDevices: () => surveyor.survey(),
    holders: (numbers) => holdersOf(clock, procRoot, numbers),
  };

  async function table(name: string): Promise<string> {
    const path = join(procRoot, name);
    const text = await files.readText(path, { maxBytes: MAX_TABLE_BYTES });
    if (text === undefined) throw new FileError('read', path, 'ENOENT');
    return text;
  }
}
