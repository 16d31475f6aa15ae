/** Finds the devices of a node that a ConfigMap asks for. Opens none of them. */
import type { Clock } from '../kit/clock/clock.ts';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import type { BlockDevices, DeviceFacts } from '../kit/host/block-device.ts';
import { FileError } from '../kit/host/file-error.ts';
import type { Files, Walk, WalkEntry } from '../kit/host/files.ts';
import { settlesWithin } from '../kit/host/settles-within.ts';
import { quote } from '../kit/invalid-value.ts';
import type { ParsedConfig } from './config.ts';
import { volumeNameOf } from './names.ts';

export interface Discovery {
  /** Sorted by path. */
  readonly devices: readonly Found[];
  /** What of the directory could not be looked at. */
  readonly unseen: readonly string[];
}

/** An entry of the device directory whose name the filter accepts. */
export interface Found {
  /** As it was found, links not followed. */
  readonly path: string;
  /** The name of the volume that it becomes. */
  readonly volume: string;
  readonly device: FoundDevice | { readonly fault: string };
}

export interface FoundDevice {
  readonly facts: DeviceFacts;
}

export interface DiscoveryHost {
  readonly files: Pick<Files, 'stat' | 'walk'>;
  readonly devices: Pick<BlockDevices, 'facts'>;
}

const AT_A_TIME = 32;
/** The kernel knows these facts by heart. Where it has not told them after this, it waits for a disk that does not answer. */
const MOST_MS = 10_000;

/** Or why there is nothing to be found in the directory. */
export async function discover(
  host: DiscoveryHost,
  node: string,
  { config, accepts }: Pick<ParsedConfig, 'config' | 'accepts'>,
  clock: Clock,
): Promise<Discovery | { readonly fault: string }> {
  const walked = await walkIn(host, config.deviceDir);
  if ('fault' in walked) return walked;
  const devices = await fewAtATime(AT_A_TIME, walked.entries, async (entry): Promise<readonly Found[]> => {
    const { name, path, stat } = entry;
    if (stat?.kind === 'directory' || !accepts(name)) return [];
    return [{ path, volume: volumeNameOf(node, name), device: await deviceAt(host, entry, clock) }];
  });
  return { devices: devices.flat(), unseen: walked.unseen.map(({ path, reason }) => `${quote(path)}: ${reason}`) };
}

async function walkIn({ files }: DiscoveryHost, directory: string): Promise<Walk | { readonly fault: string }> {
  const fault = (what: string) => ({ fault: `deviceDir ${quote(directory)} ${what}` });
  try {
    const stat = await files.stat(directory);
    if (!stat) return fault('does not exist on this node');
    return stat.kind === 'directory' ? await files.walk(directory) : fault('is not a directory on this node');
  } catch (error) {
    if (error instanceof FileError) return fault(`cannot be looked at: ${error.message}`);
    throw error;
  }
}

async function deviceAt({ devices }: DiscoveryHost, { stat }: WalkEntry, clock: Clock): Promise<Found['device']> {
  if (!stat) return { fault: 'it is a link that leads nowhere' };
  if (stat.kind !== 'block-device' || !stat.device) return { fault: 'it is not a block device' };
  const asked = devices.facts(stat.device);
  if (!(await settlesWithin(clock, MOST_MS, asked)))
    return { fault: `the kernel has not said anything about ${stat.device} for ${MOST_MS / 1000} seconds` };
  try {
    const facts = await asked;
    if (!facts) return { fault: `the kernel has no device ${stat.device}` };
    return facts.sizeBytes > 0 ? { facts } : { fault: 'it has no size: there is no medium in it' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
