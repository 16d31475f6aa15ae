/** Looks at a device that is held, and at everything on the host that may use it. Nothing is remembered from an earlier look. */
import type { DeviceFacts, OpenDevice } from '../kit/host/block-device.ts';
import { contentOf } from '../kit/host/content.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import { hostRoot } from '../kit/host/host-root.ts';
import type { Loop } from '../kit/host/loops.ts';
import type { Mount } from '../kit/host/mounts.ts';
import { type OpenAnswer, openAnswer } from '../kit/host/open-survey.ts';
import { STAT_PATIENCE_MS } from '../kit/host/open-surveyor.ts';
import type { Known } from '../kit/known.ts';
import type { Patience } from '../kit/patience.ts';
import { readExports } from './exports.ts';
import { type Identity, identityOf, sharesBytes } from './identity.ts';
import type { Observed, OtherVolume, Use } from './observed.ts';
import { allDevices, type Relatives, relativesOf } from './relatives.ts';
import { statBelow } from './stat-below.ts';

export interface ObserveOptions {
  /** Process 1 is taken to have no disk open where its descriptors cannot be read. */
  readonly trustInit: boolean;
  readonly volumes: readonly Other[];
  /** With files that may never answer. Who looks once, and can wait, does without. */
  readonly patience?: Patience | undefined;
}

/** A volume of this node, or one that may be, with what is recorded on it. */
interface Other extends OtherVolume {
  readonly identity?: Identity | undefined;
  /** It is of another node: its path means nothing here. */
  readonly isElsewhere?: boolean;
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
  const content = await contentOf(host, device, facts);
  const loops = await known(() => host.tables.loops());
  const relatives = await known(async () => relativesOf(facts, await allDevices(host, facts), seenOf(loops) ?? []));
  const { sharing, beneath } = seenOf(relatives) ?? NO_RELATIVES;
  const names = new Names(facts, sharing);
  const uses = { host, names };
  /** By opening them: that is over, too, before it is looked for who has them open. */
  const busyRelatives = await known(() => busyOf(host, facts, sharing));
  const [mounts, swaps, exports, openers, otherVolumes] = await Promise.all([
    known(() => mountsOn(uses)),
    known(() => swapsOn(uses)),
    known(() => exportsOf(uses)),
    openersOf(uses, device, options.trustInit),
    known(() => volumesOn(uses, facts, beneath, options)),
  ]);
  return {
    path: device.path,
    facts,
    isHeld,
    relatives: mapped(relatives, () => sharing),
    mounts,
    swaps,
    loops: mapped(loops, (all) => loopsOn(names, facts, all)),
    hiddenLoops: (seenOf(loops) ?? []).flatMap(hiddenBehind),
    exports,
    busyRelatives,
    openers,
    ...content,
    otherVolumes,
  };
}

const NO_RELATIVES: Relatives = { sharing: [], beneath: [] };

interface Uses {
  readonly host: Host;
  readonly names: Names;
}

/** What the device and its relatives are called, by their numbers. */
class Names {
  readonly #names: ReadonlyMap<DeviceNumber, string>;

  constructor({ number }: DeviceFacts, sharing: readonly DeviceFacts[]) {
    this.#names = new Map([...sharing.map((one) => [one.number, one.name] as const), [number, '']]);
  }

  get numbers(): readonly DeviceNumber[] {
    return [...this.#names.keys()];
  }

  /** Empty for the device itself; nothing for one that has none of its bytes. */
  of(number: DeviceNumber | undefined): string | undefined {
    return number && this.#names.get(number);
  }

  use(number: DeviceNumber | undefined, by: string): readonly Use[] {
    const under = this.of(number);
    return under === undefined ? [] : [{ by, under }];
  }
}

async function known<T>(look: () => Promise<T>): Promise<Known<T>> {
  try {
    return { known: true, value: await look() };
  } catch (error) {
    return { known: false, why: error instanceof Error ? error.message : String(error) };
  }
}

const seenOf = <T>(seen: Known<T>): T | undefined => (seen.known ? seen.value : undefined);
const mapped = <T, U>(seen: Known<T>, change: (value: T) => U): Known<U> =>
  seen.known ? { known: true, value: change(seen.value) } : seen;

/** Ours and those of the host: a container does not see what was mounted after it was started. */
async function mountsOn({ host, names }: Uses): Promise<readonly Use[]> {
  const tables = await Promise.all([host.tables.mounts(), host.tables.mounts({ pid: 1 })]);
  const found = new Map<string, Use>();
  for (const mount of tables.flat())
    for (const use of names.use(await deviceOf(host, mount, names), mount.mountPoint)) found.set(use.by, use);
  return [...found.values()];
}

/** A filesystem on several devices has a number of its own: then it is known by the path that was mounted. */
async function deviceOf(host: Host, { device, source }: Mount, names: Names): Promise<DeviceNumber | undefined> {
  if (names.of(device) !== undefined) return device;
  return source.startsWith('/dev/') ? (await host.files.stat(source))?.device : undefined;
}

async function swapsOn({ host, names }: Uses): Promise<readonly Use[]> {
  const uses: Use[] = [];
  for (const { path, kind } of await host.tables.swaps())
    if (kind === 'partition') uses.push(...names.use((await host.files.stat(path))?.device, path));
  return uses;
}

/** The device may be a loop device itself, or a part of one: that is not a use of what is behind it. */
function loopsOn(names: Names, { number, partition }: DeviceFacts, loops: readonly Loop[]): readonly Use[] {
  return loops
    .filter((loop) => loop.number !== number && loop.number !== partition?.disk)
    .flatMap(({ name, backing }) => names.use(backing.kind === 'block-device' ? backing.number : undefined, name));
}

const hiddenBehind = ({ name, backing }: Loop): readonly string[] =>
  backing.kind === 'unknown' ? [`what is behind ${name} cannot be seen (${backing.reason})`] : [];

/** A path that leads nowhere from here may lead anywhere. */
async function exportsOf({ host, names }: Uses): Promise<readonly Use[]> {
  const uses: Use[] = [];
  for (const { path, by } of await readExports(host.files)) {
    const stat = await host.files.stat(path);
    if (!stat) throw new Error(`${by} serves ${path}, which cannot be seen from here`);
    uses.push(...names.use(stat.device, by));
  }
  return uses;
}

/** The kernel keeps us from a device that is in use, or the parts or the whole of which are. Under another number it does not. */
async function busyOf(host: Host, facts: DeviceFacts, sharing: readonly DeviceFacts[]): Promise<readonly string[]> {
  const disk = (one: DeviceFacts) => one.partition?.disk ?? one.number;
  const others = sharing.filter((one) => disk(one) !== disk(facts));
  const busy = await Promise.all(others.map(async (one) => ((await isBusy(host, one)) ? [one.name] : [])));
  return busy.flat();
}

async function isBusy(host: Host, { name, number }: DeviceFacts): Promise<boolean> {
  try {
    await using device = await host.devices.open(`/dev/${name}`, { access: 'read', exclusive: true });
    if (device.number !== number) throw new Error(`/dev/${name} is not the device that the kernel calls so`);
    return false;
  } catch (error) {
    if (error instanceof DeviceError && error.reason === 'busy') return true;
    throw error;
  }
}

/** Our own descriptor is not somebody's use of it. */
async function openersOf({ host, names }: Uses, { fd }: OpenDevice, trustInit: boolean): Promise<OpenAnswer> {
  try {
    return openAnswer(await host.tables.openDevices(), names.numbers, {
      except: (opener) => opener.self && opener.fd === fd,
      vouchedFor: ({ pid }) => trustInit && pid === 1,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { open: 'unknown', unseen: [{ kind: 'no-right', reason }] };
  }
}

/** By where their paths lead now, and by what is recorded on them: their disk may have come back at another path. */
async function volumesOn(
  { host, names }: Uses,
  facts: DeviceFacts,
  beneath: readonly DeviceFacts[],
  { volumes, patience, trustInit }: ObserveOptions,
): Promise<readonly OtherVolume[]> {
  const numbers = new Set<DeviceNumber>([...names.numbers, ...beneath.map(({ number }) => number)]);
  const root = volumes.some(({ isElsewhere }) => !isElsewhere) ? await rootOf(host, trustInit) : '/';
  const found: OtherVolume[] = [];
  for (const { name, path, identity, isElsewhere } of volumes) {
    const devices = isElsewhere ? [] : await devicesAt({ name, path }, root, host, patience);
    const isSame =
      devices.some((device) => numbers.has(device)) || (identity && sharesBytes(identity, identityOf(facts)));
    if (isSame) found.push({ name, path });
  }
  return found;
}

/** Where process 1 cannot be looked at, our own root has to do; that this is enough is for a person to say. */
async function rootOf({ files }: Host, trustInit: boolean): Promise<string> {
  const faults: unknown[] = [];
  const stat = (path: string) =>
    files.stat(path).catch((error: unknown) => {
      faults.push(error);
      throw error;
    });
  const root = await hostRoot({ stat });
  if (faults.length > 0 && !trustInit) throw faults[0];
  return root;
}

/**
 * Where it leads for us, and where it leads on the machine, which is where the volume is used: a container need not have the same files.
 * That nothing is there is an answer; that it cannot be found out is none.
 */
async function devicesAt(
  { name, path }: OtherVolume,
  root: string,
  { files }: Host,
  patience: Patience | undefined,
): Promise<readonly DeviceNumber[]> {
  const look = async () => [await files.stat(path), root === '/' ? undefined : await statBelow(files, root, path)];
  const what = `the path ${path} of the volume ${name}`;
  const stats = await (patience ? patience.share(what, look, { withinMs: STAT_PATIENCE_MS }) : look());
  return stats.map((stat) => stat?.device).filter((device) => device !== undefined);
}
