/**
 * What the kernel serves to other machines. It opens a device for that in a way that neither an exclusive open nor a look at the
 * processes shows (the NVMe target, and the file backend of the SCSI target), so that its configuration has to be read.
 */
import { FileError } from '../kit/host/file-error.ts';
import type { Files } from '../kit/host/files.ts';

export interface Export {
  readonly path: string;
  /** For people. */
  readonly by: string;
}

/** Of this container, and of the host: it is a filesystem of its own that a container need not have. */
const CONFIGURATIONS = ['/sys/kernel/config', '/proc/1/root/sys/kernel/config'];

interface Target {
  /** The kernel's module. Where it is not loaded, nothing is served by it. */
  readonly module: string;
  readonly directory: string;
  readonly read: (files: Files, directory: string) => Promise<readonly Export[]>;
}

const TARGETS: readonly Target[] = [
  { module: 'nvmet', directory: 'nvmet/subsystems', read: readNvme },
  { module: 'target_core_file', directory: 'target/core', read: readScsi },
];

/** Rejects when something may be served and cannot be seen. */
export async function readExports(files: Files): Promise<readonly Export[]> {
  const found = await Promise.all(TARGETS.map((target) => readTarget(files, target)));
  return found.flat();
}

async function readTarget(files: Files, { module, directory, read }: Target): Promise<readonly Export[]> {
  for (const configuration of CONFIGURATIONS) {
    const path = `${configuration}/${directory}`;
    if (await isThere(files, path)) return read(files, path);
  }
  if (!(await isThere(files, `/sys/module/${module}`))) return [];
  throw new Error(`the kernel may serve it to other machines: ${module} is loaded, and its configuration is not seen`);
}

/** What may not be looked at is not seen to be there. */
async function isThere(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.stat(path)) !== undefined;
  } catch (error) {
    if (error instanceof FileError && error.code === 'EACCES') return false;
    throw error;
  }
}

async function readNvme(files: Files, subsystems: string): Promise<readonly Export[]> {
  const found: Export[] = [];
  for (const subsystem of await files.list(subsystems)) {
    for (const namespace of await files.list(`${subsystems}/${subsystem}/namespaces`)) {
      const text = await files.readText(`${subsystems}/${subsystem}/namespaces/${namespace}/device_path`);
      const path = text?.trim();
      if (path?.startsWith('/')) found.push({ path, by: `the NVMe target ${subsystem}` });
    }
  }
  return found;
}

/** Each backend has a directory `fileio_0`, `iblock_1`, … with one for each thing that it serves. */
async function readScsi(files: Files, core: string): Promise<readonly Export[]> {
  const found: Export[] = [];
  for (const backend of (await files.list(core)).filter((name) => name.startsWith('fileio_'))) {
    for (const store of await files.list(`${core}/${backend}`)) {
      const info = await files.readText(`${core}/${backend}/${store}/info`);
      const path = info && /\bFile: (\/.*?)\s+Size: /.exec(info)?.[1];
      if (path) found.push({ path, by: `the SCSI target ${store}` });
    }
  }
  return found;
}
