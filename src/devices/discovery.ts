/** Finds the devices of a node that a ConfigMap asks for. Opens none of them. */
import type { BlockDevices, DeviceFacts } from '../kit/host/block-device.ts';
import type { Files, WalkEntry } from '../kit/host/files.ts';
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

/** Or why the directory is none. */
export async function discover(
  host: DiscoveryHost,
  node: string,
  { config, accepts }: ParsedConfig,
): Promise<Discovery | { readonly fault: string }> {
  const directory = await host.files.stat(config.deviceDir);
  if (!directory) return { fault: `deviceDir ${config.deviceDir} does not exist on this node` };
  if (directory.kind !== 'directory') return { fault: `deviceDir ${config.deviceDir} is not a directory on this node` };
  const { entries, unseen } = await host.files.walk(config.deviceDir);
  const chosen = entries.filter(({ name, stat }) => stat?.kind !== 'directory' && accepts(name));
  const devices = await Promise.all(
    chosen.map(async (entry) => ({
      path: entry.path,
      volume: volumeNameOf(node, entry.name),
      device: await deviceAt(host, entry),
    })),
  );
  return { devices, unseen: unseen.map(({ path, reason }) => `${path}: ${reason}`) };
}

async function deviceAt({ devices }: DiscoveryHost, { stat }: WalkEntry): Promise<Found['device']> {
  if (!stat) return { fault: 'it is a link that leads nowhere' };
  if (stat.kind !== 'block-device' || !stat.device) return { fault: 'it is not a block device' };
  try {
    const facts = await devices.facts(stat.device);
    if (!facts) return { fault: `the kernel has no device ${stat.device}` };
    return facts.sizeBytes > 0 ? { facts } : { fault: 'it has no size: there is no medium in it' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
