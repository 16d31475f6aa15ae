/**
 * The node, as its commands and files show and change it. Nothing is remembered: every look is a new one. What many ask for at the same
 * time is done for all of them at once.
 */
import { dirname } from 'node:path';
import type { Clock } from '../kit/clock/clock.ts';
import { Retry } from '../kit/controller/outcome.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { CommandResult } from '../kit/host/command.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import type { Mount } from '../kit/host/mounts.ts';
import type { Known } from '../kit/known.ts';
import type { Log } from '../kit/observe/log.ts';
import { Patience } from '../kit/patience.ts';
import { Rounds } from '../kit/rounds.ts';
import * as commands from './commands.ts';
import { Creating, type Creation, noRoomLeft, promisedIn } from './creating.ts';
import type { LogicalVolume, Lvm } from './facts.ts';
import { type Format, Formatting } from './formatting.ts';
import { lookAt, unitTextAt, type Viewpoint } from './look.ts';
import { isOurs, type MountUnit, SYSTEMD, UNITS, unitNameOf } from './mount-units.ts';
import { type FstabEntry, mountFailures, renderFstab } from './mounts.ts';
import { type Opening, PatientOpening } from './patient-opening.ts';
import { isHalfMadePool } from './pool-room.ts';
import type { Look } from './sight.ts';
import { contentAt } from './signature.ts';
import { contentsAt, signaturesOf } from './signatures.ts';
import type { Step } from './steps.ts';
import { changeOfTags, encodeTag, type Owner, ownerOf, POOL_TAG } from './tags.ts';

export interface NodeParts {
  /** Whose commands are run, and whose files are seen, where the node's mounts are. */
  readonly host: Host;
  readonly viewpoint: Viewpoint;
  readonly clock: Clock;
  readonly log: Log;
  /** Told what each look has shown. */
  readonly saw: (lvm: Lvm) => void;
  /** Told why one has shown nothing. */
  readonly couldNotLook?: (why: string) => void;
}

/** Where what is to be mounted is written for mount(8). */
const FSTAB = '/run/holdfast/lvm.fstab';

const NEVER = new AbortController().signal;

export class LocalNode {
  readonly #parts: NodeParts;
  readonly #rounds: Rounds;
  readonly #creating: Creating;
  readonly #create: (creation: Creation) => Promise<{ readonly ended: Promise<LogicalVolume | Error> }>;
  readonly #format: (format: Format) => Promise<{ readonly ended: Promise<Error | undefined> }>;
  readonly activate: (lv: LogicalVolume) => Promise<undefined>;
  readonly resume: (lv: LogicalVolume) => Promise<undefined>;
  readonly markNew: (lv: LogicalVolume) => Promise<undefined>;
  readonly markSnapshot: (lv: LogicalVolume) => Promise<undefined>;
  readonly markReady: (lv: LogicalVolume) => Promise<undefined>;
  readonly makeImmutable: (path: string) => Promise<undefined>;
  /** Says why it could not be mounted; nothing if it is. */
  readonly mount: (entry: FstabEntry) => Promise<string | undefined>;
  readonly enableUnit: (unit: MountUnit) => Promise<undefined>;
  readonly #dropUnit: (name: string) => Promise<undefined>;
  readonly #opening: PatientOpening;
  readonly #signature: (device: OpenDevice) => Promise<Known<string | undefined>>;
  readonly #look: (_: undefined) => Promise<Look>;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#rounds = new Rounds({ clock: parts.clock });
    this.#opening = new PatientOpening(parts.host, new Patience(parts.clock));
    this.#creating = new Creating({
      run: (command) => this.result(command),
      look: async () => (await this.lookNow()).lvm,
    });
    this.#create = this.#rounds.desk(async (all: readonly Creation[]) =>
      this.#creating.begin(all).map((ended) => ({ ended })),
    );
    const formatting = new Formatting({
      run: (command) => this.run(command),
      isStill: (path, number) => this.isStill(path, number),
      look: (paths, group) =>
        contentsAt(
          parts.host,
          paths.map((path) => this.seen(path)),
          (path) => this.#opening.open(path, { group, exclusive: true, signal: NEVER }),
        ),
    });
    this.#format = this.#rounds.desk(async (all: readonly Format[]) =>
      formatting.begin(all).map((ended) => ({ ended })),
    );
    this.activate = this.#together((lvs: readonly LogicalVolume[]) => this.run(commands.activate(lvs)));
    this.resume = this.#together((lvs: readonly LogicalVolume[]) => this.run(commands.resume(lvs)));
    this.markNew = this.#together((lvs: readonly LogicalVolume[]) => this.#markAll(lvs, 'wiping', 'new'));
    this.markSnapshot = this.#together((lvs: readonly LogicalVolume[]) => this.#markAll(lvs, 'wiping', 'ready'));
    this.markReady = this.#together((lvs: readonly LogicalVolume[]) => this.#markAll(lvs, 'new', 'ready'));
    this.makeImmutable = this.#together((paths: readonly string[]) => this.#protect(paths));
    this.enableUnit = this.#together((units: readonly MountUnit[]) => this.#enableUnits(units));
    this.#dropUnit = this.#together((names: readonly string[]) => this.#dropUnits(names));
    this.mount = this.#rounds.desk((entries: readonly FstabEntry[]) => this.#mountAll(entries));
    this.#signature = this.#rounds.desk((devices: readonly OpenDevice[]) => signaturesOf(parts.host, devices));
    this.#look = this.#rounds.desk(async (askers: readonly undefined[]) => {
      const look = await this.lookNow();
      return askers.map(() => look);
    });
  }

  /** Takes part until it is disposed of: those who take part wait for each other. */
  join(): Disposable {
    return this.#rounds.join();
  }

  /** Nobody waits for who is away. */
  away<T>(work: () => Promise<T>): Promise<T> {
    return this.#rounds.away(work);
  }

  #together<T>(all: (each: readonly T[]) => Promise<void>): (one: T) => Promise<undefined> {
    return this.#rounds.desk(async (each: readonly T[]) => {
      await all(each);
      return each.map(() => undefined);
    });
  }

  /** Gives what was made. */
  async create(creation: Creation): Promise<LogicalVolume> {
    const { ended } = await this.#create(creation);
    const made = await this.away(() => ended);
    if (made instanceof Error) throw made;
    return made;
  }

  /** Several volumes may ask for it at the same time, and one of them may find what another is about to make. */
  async createPool(pool: Omit<commands.NewVolume, 'tags'>): Promise<void> {
    const { vg, name } = pool;
    await this.away(() =>
      this.#creating.alone(vg, async () => {
        const found = (await this.lookNow()).lvm.groups.get(vg)?.volumes.get(name);
        if (found && !isHalfMadePool(found)) return;
        if (found) await this.run(commands.remove(found));
        await this.run(commands.createThinPool({ ...pool, tags: [POOL_TAG] }));
      }),
    );
  }

  /** Of several that grow at the same time each was decided on as if it came alone. */
  async extend(
    { group, name, sizeBytes }: LogicalVolume,
    { bytes, in: room }: Step & { kind: 'extend' },
  ): Promise<void> {
    const extend = () => this.run(commands.extend({ vg: group, name, bytes }));
    if (!room) return await this.away(extend);
    const { pool, atMost } = room;
    await this.away(() =>
      this.#creating.alone(group, async () => {
        const { lvm } = await this.lookNow();
        const promised = promisedIn(pool, [...(lvm.groups.get(group)?.volumes.values() ?? [])]);
        if (promised + bytes - sizeBytes > atMost) throw noRoomLeft(`${group}/${pool}`);
        await extend();
      }),
    );
  }

  async format(format: Format): Promise<void> {
    const { ended } = await this.#format(format);
    const failure = await this.away(() => ended);
    if (failure) throw failure;
  }

  look(): Promise<Look> {
    return this.#look(undefined);
  }

  /** Without waiting for others who want to look. */
  async lookNow(): Promise<Look> {
    const { host, viewpoint, saw, couldNotLook } = this.#parts;
    try {
      const look = await lookAt(host, viewpoint);
      saw(look.lvm);
      return look;
    } catch (error) {
      couldNotLook?.(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  async run(command: commands.Command): Promise<void> {
    await this.result(command);
  }

  result({ argv, options }: commands.Command): Promise<CommandResult> {
    return this.#parts.host.exec(argv, options);
  }

  /** On a filesystem that knows no such mark the directory stays without it. */
  async tryRun(command: commands.Command): Promise<void> {
    try {
      await this.run(command);
    } catch (error) {
      this.#parts.log.info({ why: `${error}` }, 'a mount point could not be protected');
    }
  }

  /** Where a file of the node is seen from here. */
  seen(path: string): string {
    return `${this.#parts.viewpoint.root}${path}`;
  }

  /** What the next agent on this node is to know, until it boots. */
  async note(file: string, text: string): Promise<void> {
    const { files } = this.#parts.host;
    await files.mkdir(dirname(this.seen(file)));
    await files.writeAtomic(this.seen(file), text);
  }

  noted(file: string): Promise<string | undefined> {
    return this.#parts.host.files.readText(this.seen(file));
  }

  forget(file: string): Promise<void> {
    return this.#parts.host.files.remove(this.seen(file));
  }

  async namesIn(directory: string): Promise<readonly string[]> {
    const { files } = this.#parts.host;
    return (await files.stat(this.seen(directory)))?.kind === 'directory' ? await files.list(this.seen(directory)) : [];
  }

  /** What is mounted there now, the uppermost last. */
  async mountedAt(path: string): Promise<readonly Mount[]> {
    return (await this.#mounts()).filter(({ mountPoint }) => mountPoint === path);
  }

  #mounts(): Promise<readonly Mount[]> {
    const { host, viewpoint } = this.#parts;
    return host.tables.mounts(viewpoint.pid === undefined ? {} : { pid: viewpoint.pid });
  }

  /** Only bare directories. If systemd, or another agent, mounts a volume there at that moment, nobody could make a file in it: that is undone. */
  async #protect(paths: readonly string[]): Promise<void> {
    const bare = await this.#bareOf(paths);
    if (bare.length === 0) return;
    await this.tryRun(commands.makeImmutable(bare));
    const still = await this.#bareOf(bare);
    for (const path of bare) if (!still.includes(path)) await this.run(commands.makeMutable(path));
  }

  async #bareOf(paths: readonly string[]): Promise<readonly string[]> {
    const mounted = new Set((await this.#mounts()).map(({ mountPoint }) => mountPoint));
    return paths.filter((path) => !mounted.has(path));
  }

  /** What is on a device; see `contentAt`. With `exclusive`, unknown while somebody else has it for himself. */
  contentAt(
    path: string,
    { group, exclusive = false, signal = NEVER }: Pick<Opening, 'group'> & Partial<Opening>,
  ): Promise<Known<string | undefined>> {
    const open = (seen: string) => this.#opening.open(seen, { group, exclusive, signal });
    return contentAt(this.#parts.host, this.seen(path), { open, ask: this.#signature });
  }

  /** Makes sure that what the path leads to is what was looked at. */
  async isStill(path: string, device: DeviceNumber | undefined): Promise<void> {
    const now = (await this.#parts.host.files.stat(this.seen(path)))?.device;
    if (device === undefined || now !== device)
      throw new Retry(`${path} is ${now ?? 'not there'}, and was ${device ?? 'not active'} when it was looked at`);
  }

  async retag(lv: LogicalVolume, changes: Partial<Owner>): Promise<void> {
    const owner = ownerOf(lv);
    if (!owner) throw new Retry(`${pathOf(lv)} is no longer marked as ours`);
    const change = changeOfTags(lv, { ...owner, ...changes });
    // To LVM a change of nothing is a failure.
    if (change.add.length + change.remove.length > 0) await this.run(commands.changeTags([lv], change));
  }

  async #markAll(lvs: readonly LogicalVolume[], from: Owner['state'], to: Owner['state']): Promise<void> {
    const attempts = lvs.flatMap((lv) => ownerOf(lv)?.attempt ?? []).map((attempt) => encodeTag('attempt', attempt));
    const change = { add: [encodeTag('state', to)], remove: [encodeTag('state', from), ...attempts] };
    await this.run(commands.changeTags(lvs, change));
  }

  async #enableUnits(units: readonly MountUnit[]): Promise<void> {
    for (const { name, text } of units)
      await this.#parts.host.files.writeAtomic(this.seen(`${UNITS}/${name}`), text, { mode: 0o644 });
    await this.run(commands.reloadUnits);
    await this.run(commands.enableUnits(units.map(({ name }) => name)));
  }

  /** Nothing to do where there is none, or one that somebody else has written. */
  async withoutUnit(path: string): Promise<void> {
    const { files } = this.#parts.host;
    const name = unitNameOf(path);
    if (name === undefined || !(await files.stat(this.seen(SYSTEMD)))) return;
    const text = await unitTextAt(files, this.seen(`${UNITS}/${name}`));
    if (text !== undefined && isOurs({ name, text })) await this.#dropUnit(name);
  }

  /** The files last: as long as they are there, it is known what is to be done. */
  async #dropUnits(names: readonly string[]): Promise<void> {
    await this.run(commands.disableUnits(names));
    for (const name of names) await this.#parts.host.files.remove(this.seen(`${UNITS}/${name}`));
    await this.run(commands.reloadUnits);
  }

  /** Why each could not be mounted; nothing for those that are. */
  async #mountAll(entries: readonly FstabEntry[]): Promise<readonly (string | undefined)[]> {
    const { files } = this.#parts.host;
    const file = this.seen(FSTAB);
    await files.mkdir(dirname(file));
    await files.writeAtomic(file, renderFstab(entries));
    const { code, stderr } = await this.result(commands.mountAll(FSTAB));
    const paths = entries.map(({ path }) => path);
    const { byPath, others } = mountFailures(stderr, paths);
    return paths.map((path) => byPath.get(path) ?? (code === 0 ? undefined : others[0]));
  }
}

export const pathOf = ({ group, name }: LogicalVolume): string => `/dev/${group}/${name}`;
