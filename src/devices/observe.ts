/** Looks at a device that is held, and at everything on the host that may use it. Nothing is remembered from an earlier look. */
import { type DeviceFacts, numbersOf, type OpenDevice } from '../kit/host/block-device.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import type { Mount } from '../kit/host/mounts.ts';
import { type OpenAnswer, openAnswer } from '../kit/host/open-survey.ts';
import type { Known, MountedOn, Observed } from './observed.ts';
import { signatureOf } from './signature.ts';

export interface ObserveOptions {
  /** Process 1 is taken to have no disk open where its descriptors cannot be read. */
  readonly trustInit: boolean;
  /** Paths of other volumes of this node. */
  readonly volumes: readonly { readonly name: string; readonly path: string }[];
}

/** `isHeld` says whether the descriptor is exclusive. */
export async function observe(
  host: Host,
  device: OpenDevice,
  isHeld: boolean,
  options: ObserveOptions,
): Promise<Observed> {
  const facts = await device.facts();
  /** By a program that has it open: not while it is looked for who has. */
  const signature = await signatureOf(host, device);
  const [mounts, swaps, loops, openers, otherVolumes] = await Promise.all([
    known(() => mountsOn(host, facts)),
    known(() => swapsOn(host, facts)),
    known(() => host.tables.loops()),
    openersOf(host, device, facts, options.trustInit),
    volumesOn(host, facts, options.volumes),
  ]);
  return { path: device.path, facts, isHeld, mounts, swaps, loops, openers, signature, otherVolumes };
}

async function known<T>(look: () => Promise<T>): Promise<Known<T>> {
  try {
    return { known: true, value: await look() };
  } catch (error) {
    return { known: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** Ours and those of the host: a container does not see what was mounted after it was started. */
async function mountsOn(host: Host, facts: DeviceFacts): Promise<readonly MountedOn[]> {
  const tables = await Promise.all([host.tables.mounts(), host.tables.mounts({ pid: 1 })]);
  const found = new Map<string, MountedOn>();
  for (const mount of tables.flat()) {
    const number = await deviceOf(host, mount, facts);
    if (number) found.set(mount.mountPoint, { at: mount.mountPoint, under: nameOf(facts, number) });
  }
  return [...found.values()];
}

/** A filesystem on several devices has a number of its own: then it is known by the path that was mounted. */
async function deviceOf(host: Host, { device, source }: Mount, facts: DeviceFacts): Promise<DeviceNumber | undefined> {
  const numbers = numbersOf(facts);
  if (numbers.includes(device)) return device;
  const mounted = source.startsWith('/dev/') ? (await host.files.stat(source))?.device : undefined;
  return numbers.find((number) => number === mounted);
}

async function swapsOn(host: Host, facts: DeviceFacts): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { path, kind } of await host.tables.swaps()) {
    const number = kind === 'partition' ? (await host.files.stat(path))?.device : undefined;
    if (number && numbersOf(facts).includes(number)) names.push(nameOf(facts, number) || facts.name);
  }
  return names;
}

/** The name of a part of the device, or of the disk that it is a part of; empty for the device itself. */
function nameOf({ number, partitions }: DeviceFacts, part: DeviceNumber): string {
  if (part === number) return '';
  return partitions.find((partition) => partition.number === part)?.name ?? part;
}

/** Our own descriptor is not somebody's use of it. */
async function openersOf(host: Host, { fd }: OpenDevice, facts: DeviceFacts, trustInit: boolean): Promise<OpenAnswer> {
  try {
    return openAnswer(await host.tables.openDevices(), numbersOf(facts), {
      except: (opener) => opener.self && opener.fd === fd,
      vouchedFor: ({ pid }) => trustInit && pid === 1,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { open: 'unknown', unseen: [{ kind: 'no-right', reason }] };
  }
}

/** A path that leads nowhere leads to no byte of this device. */
async function volumesOn(host: Host, facts: DeviceFacts, volumes: ObserveOptions['volumes']) {
  const numbers = new Set<string>(numbersOf(facts));
  const others = await Promise.all(
    volumes.map(async (volume) => {
      const device = (await host.files.stat(volume.path))?.device;
      return device && numbers.has(device) ? [volume] : [];
    }),
  );
  return others.flat();
}
