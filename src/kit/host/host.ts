/** The machine under us. Only behind this interface does the program run commands, open devices or touch the host's files. */
import type { Clock } from '../clock/clock.ts';
import type { BlockDevices } from './block-device.ts';
import type { Commands } from './command.ts';
import { realCommands } from './exec.ts';
import type { Files } from './files.ts';
import { STANDARD_PATH } from './program-path.ts';
import { realDevices } from './real-device.ts';
import { realFiles } from './real-files.ts';
import { type HostTables, realTables } from './tables.ts';

export interface Host extends Commands {
  readonly files: Files;
  readonly devices: BlockDevices;
  readonly tables: HostTables;
}

export interface RealHostOptions {
  readonly clock: Clock;
  /** Names temporary files. */
  readonly random?: () => number;
  /** Where programs are looked for. */
  readonly path?: readonly string[];
  readonly procRoot?: string;
  readonly sysRoot?: string;
  /** Where the host's own root directory is seen from here: `/proc/1/root` in a container that shares the host's process ids. */
  readonly hostRoot?: string;
}

export function realHost(options: RealHostOptions): Host {
  const { clock, random = Math.random, path = STANDARD_PATH } = options;
  const { procRoot = '/proc', sysRoot = '/sys', hostRoot = '/' } = options;
  const files = realFiles(clock, random);
  return {
    ...realCommands({ clock, path }),
    files,
    devices: realDevices(sysRoot),
    tables: realTables(files, clock, { procRoot, sysRoot, hostRoot }),
  };
}
