/** Looks at the whole node: one command, and some files of the kernel. Rejects when any part of it cannot be seen. */
import type { DeviceNumber } from '../kit/host/device-number.ts';
import { parseDeviceNumber } from '../kit/host/device-number.ts';
import type { Files } from '../kit/host/files.ts';
import type { Host } from '../kit/host/host.ts';
import type { Mount } from '../kit/host/mounts.ts';
import { parseReport, REPORT } from './fullreport.ts';
import { type FoundUnit, isMountUnit, SYSTEMD, UNITS, WANTED } from './mount-units.ts';
import type { Look, Mapping, Systemd } from './sight.ts';

/** Where the node's mounts are seen from, and its files. */
export interface Viewpoint {
  /** The process whose mounts count; our own when there is none. */
  readonly pid?: number | undefined;
  /** What comes before a path of the node. */
  readonly root: string;
  /** Whether volumes have mount units where the node has systemd. */
  readonly makesUnits?: boolean | undefined;
}

export async function lookAt(host: Host, { pid, root, makesUnits = false }: Viewpoint): Promise<Look> {
  const [report, mounts, mappings, units] = await Promise.all([
    host.exec(REPORT.argv, REPORT.options),
    host.tables.mounts(pid === undefined ? {} : { pid }),
    openMappings(host.files),
    mountUnits(host.files, root),
  ]);
  if (report.truncated.stdout) throw new Error('LVM has more to tell than can be read');
  const systemd: Systemd | undefined = units && { units, makesUnits };
  return { lvm: parseReport(report.stdout), mounts: await withDevices(mounts, host.files, root), mappings, systemd };
}

/** Nothing where there is no systemd. */
async function mountUnits(files: Files, root: string): Promise<ReadonlyMap<string, FoundUnit> | undefined> {
  if (!(await files.stat(`${root}${SYSTEMD}`))) return undefined;
  const [all, wanted] = await Promise.all([namesIn(files, `${root}${UNITS}`), namesIn(files, `${root}${WANTED}`)]);
  const units = all.filter(isMountUnit).map(async (name): Promise<readonly FoundUnit[]> => {
    const text = await unitTextAt(files, `${root}${UNITS}/${name}`);
    return text === undefined ? [] : [{ name, text, isEnabled: wanted.includes(name) }];
  });
  return new Map((await Promise.all(units)).flat().map((unit) => [unit.name, unit]));
}

/** Nothing where there is none. One that is a link is somebody else's, whatever it leads to: it is masked, or linked to where we cannot follow. */
export async function unitTextAt(files: Files, path: string): Promise<string | undefined> {
  return (await files.lstat(path))?.kind === 'symlink' ? '' : await files.readText(path);
}

const namesIn = async (files: Files, directory: string): Promise<readonly string[]> =>
  (await files.stat(directory))?.kind === 'directory' ? await files.list(directory) : [];

/** A btrfs has a number of its own in the table of mounts: only its source tells which device it is on. */
async function withDevices(mounts: readonly Mount[], files: Files, root: string): Promise<readonly Mount[]> {
  return await Promise.all(
    mounts.map(async (mount) => {
      if (mount.fsType !== 'btrfs' || !mount.source.startsWith('/')) return mount;
      const device = (await files.stat(`${root}${mount.source}`))?.device;
      return device === undefined ? mount : { ...mount, device };
    }),
  );
}

const BLOCK = '/sys/block';
/** What cryptsetup calls what it opens, in the name that the device mapper keeps for programs. */
const ENCRYPTED = /^CRYPT-/;

async function openMappings(files: Files): Promise<readonly Mapping[]> {
  const devices = (await files.list(BLOCK)).filter((name) => name.startsWith('dm-'));
  const mappings = await Promise.all(devices.map((device) => mappingOf(device, files)));
  return mappings.filter((mapping) => mapping !== undefined);
}

/** Nothing for one that is not encrypted, or is gone meanwhile. */
async function mappingOf(device: string, files: Files): Promise<Mapping | undefined> {
  const read = async (name: string) => (await files.readText(`${BLOCK}/${device}/${name}`))?.trim();
  if (!ENCRYPTED.test((await read('dm/uuid')) ?? '')) return undefined;
  const [name, number] = [await read('dm/name'), parseDeviceNumber((await read('dev')) ?? '')];
  if (name === undefined || number === undefined) return undefined;
  const below = await files.list(`${BLOCK}/${device}/slaves`);
  const over = await Promise.all(below.map((each) => numberOf(each, files)));
  return { name, device: number, over: over.filter((each) => each !== undefined) };
}

async function numberOf(device: string, files: Files): Promise<DeviceNumber | undefined> {
  return parseDeviceNumber((await files.readText(`${BLOCK}/${device}/dev`))?.trim() ?? '');
}
