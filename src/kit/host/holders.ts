/** Which processes keep a filesystem from being unmounted, or its device from being let go: by what they have open, stand in or have mounted. */
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import { type DeviceNumber, deviceNumber, parseDeviceNumber } from './device-number.ts';
import { errorCode } from './file-error.ts';
import { parseMountinfo } from './mounts.ts';
import { blindSpots } from './proc-blind-spots.ts';
import { commandOf, isKernelThread, numbersIn } from './proc-process.ts';
import { settlesWithin } from './settles-within.ts';

export type Hold =
  | 'working directory'
  | 'root directory'
  | 'open file'
  | 'mapped file'
  /** Mounted where only this process, and those that share its mounts, see it. */
  | 'mount';

export interface Holder {
  readonly pid: number;
  /** As the process calls itself, fit to be printed. */
  readonly command: string;
  readonly holds: readonly Hold[];
}

export interface Holders {
  readonly holders: readonly Holder[];
  /** What could not be seen, a sentence each. When this is not empty, there may be others. */
  readonly unseen: readonly string[];
}

/** How long one file may take to say what it is on. */
const PATIENCE_MS = 5_000;
/** Whose mounts are those of the machine: who sees no others holds nothing by a mount. */
const INIT = 1;

interface Search {
  readonly clock: Clock;
  readonly procRoot: string;
  readonly wanted: ReadonlySet<DeviceNumber>;
  readonly unseen: string[];
  /** Something does not answer: nothing more is asked that could hang. */
  isCutOff: boolean;
}

/** By the numbers that the filesystem, and the device that it is on, are known by. */
export async function holdersOf(clock: Clock, procRoot: string, numbers: readonly DeviceNumber[]): Promise<Holders> {
  const unseen = (await blindSpots(procRoot)).map(({ reason }) => reason);
  const search: Search = { clock, procRoot, wanted: new Set(numbers), unseen, isCutOff: false };
  const holders: Holder[] = [];
  const ordinary = ordinaryMounts(search);
  for (const pid of numbersIn(procRoot)) {
    const holds = await holdsOf(search, pid, ordinary);
    if (holds.length > 0) holders.push({ pid, command: commandOf(procRoot, pid), holds });
  }
  return { holders, unseen };
}

async function holdsOf(
  search: Search,
  pid: number,
  ordinary: ReadonlySet<number> | undefined,
): Promise<readonly Hold[]> {
  const failures = new Set<string>();
  const attempt = <T>(look: () => T): T | undefined => {
    try {
      return look();
    } catch (error) {
      return note(error, failures);
    }
  };
  const found: [Hold, boolean][] = [
    ['working directory', await isOn(search, pid, ['cwd'], failures)],
    ['root directory', await isOn(search, pid, ['root'], failures)],
    ['open file', await isOn(search, pid, attempt(() => descriptorsOf(search, pid)) ?? [], failures)],
    ['mapped file', attempt(() => isMapped(search, pid)) ?? false],
    ['mount', attempt(() => hasOwnMount(search, pid, ordinary)) ?? false],
  ];
  if (failures.size > 0 && !isKernelThread(search.procRoot, pid))
    search.unseen.push(
      `process ${pid} (${commandOf(search.procRoot, pid)}) cannot be looked at (${[...failures].join(', ')})`,
    );
  return found.flatMap(([hold, is]) => (is ? [hold] : []));
}

const descriptorsOf = ({ procRoot }: Search, pid: number): readonly string[] =>
  readdirSync(`${procRoot}/${pid}/fd`).map((fd) => `fd/${fd}`);

/** Whether any of these leads into the filesystem, or to its device. */
async function isOn(search: Search, pid: number, links: readonly string[], failures: Set<string>): Promise<boolean> {
  const { clock, procRoot, wanted, unseen } = search;
  for (const link of links) {
    if (search.isCutOff) return false;
    const path = `${procRoot}/${pid}/${link}`;
    const answer = stat(path, { bigint: true });
    if (!(await settlesWithin(clock, PATIENCE_MS, answer))) {
      search.isCutOff = true;
      unseen.push(`${path} is on a filesystem that does not answer, and nothing after it was looked at`);
      return false;
    }
    const found = await answer.catch((error: unknown) => note(error, failures));
    if (!found) continue;
    if (wanted.has(deviceNumber(found.dev)) || (found.isBlockDevice() && wanted.has(deviceNumber(found.rdev))))
      return true;
  }
  return false;
}

/** The fourth field of a line is the number of the filesystem, in hexadecimal. */
function isMapped({ procRoot, wanted }: Search, pid: number): boolean {
  const maps = readFileSync(`${procRoot}/${pid}/maps`, 'utf8');
  return maps.split('\n').some((line) => {
    const [major, minor] = (line.split(' ')[3] ?? '').split(':').map((part) => Number.parseInt(part, 16));
    const number = parseDeviceNumber(`${major}:${minor}`);
    return number !== undefined && wanted.has(number);
  });
}

/** Nothing when they cannot be told: then nobody knows which mounts are others. */
function ordinaryMounts(search: Search): ReadonlySet<number> | undefined {
  try {
    return mountsOf(search, INIT);
  } catch (error) {
    search.unseen.push(`the mounts of process ${INIT} cannot be read (${errorCode(error)})`);
    return undefined;
  }
}

const hasOwnMount = (search: Search, pid: number, ordinary: ReadonlySet<number> | undefined): boolean =>
  ordinary !== undefined && [...mountsOf(search, pid)].some((id) => !ordinary.has(id));

/** The ids of those mounts of a process that are of the filesystem. */
function mountsOf({ procRoot, wanted }: Search, pid: number): ReadonlySet<number> {
  try {
    const mounts = parseMountinfo(readFileSync(`${procRoot}/${pid}/mountinfo`, 'utf8'));
    return new Set(mounts.filter(({ device }) => wanted.has(device)).map(({ id }) => id));
  } catch (error) {
    if (errorCode(error) === 'EINVAL') return new Set(); // it has ended, and nobody has asked how
    throw error;
  }
}

/** Nothing to note when it only means that the process, or its descriptor, went while we looked. */
function note(error: unknown, failures: Set<string>): undefined {
  const code = errorCode(error);
  if (code !== 'ENOENT' && code !== 'ESRCH') failures.add(code);
}
