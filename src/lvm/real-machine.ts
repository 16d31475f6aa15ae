/** Does what the job asks on the node itself. Nothing is remembered: every look is a new one, and every step looks at what it touches. */
import { dirname } from 'node:path';
import type { Clock } from '../kit/clock/clock.ts';
import { Refuse, Retry } from '../kit/controller/outcome.ts';
import { CommandError, type CommandResult } from '../kit/host/command.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Log } from '../kit/observe/log.ts';
import { Rounds } from '../kit/rounds.ts';
import { Slots } from '../kit/slots.ts';
import * as commands from './commands.ts';
import type { Content, Declared, Leaving, Step } from './decide.ts';
import type { LogicalVolume, Lvm } from './facts.ts';
import { unlessHeld } from './held.ts';
import type { KeyRing } from './key-ring.ts';
import { keyIsWrong, renewKeys } from './key-slots.ts';
import { cryptsetupIsMissing, type Keys, readKeys } from './keys.ts';
import { lookAt, type Viewpoint } from './look.ts';
import type { Going, Machine } from './machine.ts';
import { isOurs, type MountUnit, SYSTEMD, UNITS, unitNameOf } from './mount-units.ts';
import { type FstabEntry, mountFailures, renderFstab } from './mounts.ts';
import type { SecretName } from './options.ts';
import { refusal } from './reasons.ts';
import { mountOptsOf, type Remount, remountOptions, unmetBy } from './remount.ts';
import { passesDiscardsOn, shred } from './shred.ts';
import { type Look, mappingName, type Sight } from './sight.ts';
import { contentAt } from './signature.ts';
import { changeOfTags, encodeTag, type Owner, ownerOf, tagsOf } from './tags.ts';
import { trashName } from './trash.ts';
import { isWhole } from './whole.ts';

export interface MachineParts {
  /** Whose commands are run, and whose files are seen, where the node's mounts are. */
  readonly host: Host;
  readonly viewpoint: Viewpoint;
  readonly clock: Clock;
  readonly log: Log;
  readonly client: KubeClient;
  /** The uid of the cluster. */
  readonly cluster: string;
  /** For volumes that are looked after for long. */
  readonly keyRing?: KeyRing | undefined;
  /** Told what each look has shown. */
  readonly saw: (lvm: Lvm) => void;
  /** Told why one has shown nothing. */
  readonly couldNotLook?: (why: string) => void;
}

/** How soon to look whether what forbids it is gone. */
const RECHECK_MS = 30_000;

/** Each keeps some threads of the process and a disk busy. */
export const SHREDS_AT_ONCE = 4;

/** Where what is to be mounted is written for mount(8). */
const FSTAB = '/run/holdfast/lvm.fstab';

export class RealMachine implements Machine {
  readonly #parts: MachineParts;
  readonly #rounds: Rounds;
  readonly #shredding = new Slots(SHREDS_AT_ONCE);
  readonly #activate: (lv: LogicalVolume) => Promise<undefined>;
  readonly #markNew: (lv: LogicalVolume) => Promise<undefined>;
  readonly #markReady: (lv: LogicalVolume) => Promise<undefined>;
  readonly #makeImmutable: (path: string) => Promise<undefined>;
  readonly #mount: (entry: FstabEntry) => Promise<string | undefined>;
  readonly #enableUnit: (unit: MountUnit) => Promise<undefined>;
  readonly #dropUnit: (name: string) => Promise<undefined>;
  readonly #look: (_: undefined) => Promise<Look>;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#rounds = new Rounds({ clock: parts.clock });
    this.#activate = this.#rounds.desk((lvs: readonly LogicalVolume[]) => this.#activateAll(lvs));
    this.#markNew = this.#rounds.desk((lvs: readonly LogicalVolume[]) => this.#markAll(lvs, 'wiping', 'new'));
    this.#markReady = this.#rounds.desk((lvs: readonly LogicalVolume[]) => this.#markAll(lvs, 'new', 'ready'));
    this.#makeImmutable = this.#rounds.desk((paths: readonly string[]) => this.#makeAllImmutable(paths));
    this.#enableUnit = this.#rounds.desk((units: readonly MountUnit[]) => this.#enableUnits(units));
    this.#mount = this.#rounds.desk((entries: readonly FstabEntry[]) => this.#mountAll(entries));
    this.#dropUnit = this.#rounds.desk((names: readonly string[]) => this.#dropUnits(names));
    this.#look = this.#rounds.desk(async (askers: readonly undefined[]) => {
      const look = await this.#lookNow();
      return askers.map(() => look);
    });
  }

  join(): Disposable {
    return this.#rounds.join();
  }

  look(): Promise<Look> {
    return this.#look(undefined);
  }

  async #lookNow(): Promise<Look> {
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

  async content(declared: Declared, sight: Sight, signal: AbortSignal): Promise<Content> {
    const { options, uid } = declared;
    const { host } = this.#parts;
    const lv = there(sight);
    const isInside = options.crypt !== undefined && sight.mapping !== undefined;
    const path = isInside ? mappedPath(uid, sight) : pathOf(lv);
    await this.#isStill(path, isInside ? sight.mapping?.device : lv.device);
    const exclusive = sight.owner?.state === 'new';
    const found = await contentAt(host, `${this.#parts.viewpoint.root}${path}`, { exclusive });
    if (!found.known) throw new Retry(`what is on ${path} cannot be told: ${found.why}`);
    const signature = found.value;
    if (signature === 'crypto_LUKS' && options.crypt)
      return { signature, isWhole: await this.#opens(declared, path, signal) };
    if (signature !== options.fsType || sight.owner?.state !== 'new') return { signature };
    return { signature, isWhole: await isWhole(host, options.fsType, path) };
  }

  async make(step: Step, declared: Declared, sight: Sight, signal: AbortSignal): Promise<void> {
    const { options, name, uid, path } = declared;
    switch (step.kind) {
      case 'create':
        if (options.crypt) await this.#canBeEncrypted(options.crypt, signal);
        return await this.#create(step.bytes, declared, sight);
      case 'create-pool': {
        const pool = options.thin?.pool ?? '';
        return await this.#run(commands.createThinPool({ vg: options.vg, name: pool, bytes: step.bytes, tags: [] }));
      }
      case 'take-back':
        return await this.#run(commands.rename({ vg: step.lv.group, name: step.lv.name, to: name }));
      case 'adopt':
        return await this.#adopt(declared, there(sight));
      case 'remove':
        return await this.#run(commands.remove(step.lv));
      case 'take-out':
        return await this.#retag(there(sight), { trashedAt: undefined });
      case 'activate':
        return await this.#activate(there(sight));
      case 'extend':
        return await this.#run(commands.extend({ vg: options.vg, name, bytes: step.bytes }));
      case 'encrypt':
        return await this.#encrypt(declared, there(sight), signal);
      case 'open':
        return await this.#open(declared, there(sight), signal);
      case 'format': {
        const device = await this.#filesystemDevice(declared, sight);
        await this.#run(commands.makeFileSystem({ ...options, device }));
        return await this.#markReady(there(sight));
      }
      case 'mark-ready':
        return await this.#markReady(there(sight));
      case 'mount':
        return await this.#mountIt(declared, sight, step.unit);
      case 'write-unit':
        return await this.#enableUnit(step.unit);
      case 'remount':
        return await this.#remount(declared, sight);
      case 'retag': {
        const { fsOpts = '', mountOpts = '' } = sight.owner?.options ?? {};
        return await this.#retag(there(sight), { options: { ...declared.inForce, fsOpts, mountOpts } });
      }
      case 'grow-filesystem': {
        const device = await this.#filesystemDevice(declared, sight);
        if (options.crypt) {
          const { key } = await readKeys(this.#parts.client, options.crypt, signal);
          await this.#run(commands.luksResize({ name: sight.mapping?.name ?? mappingName(uid), key }));
        }
        await this.#run(commands.growFileSystem({ fsType: options.fsType, device, path }));
        const lv = there(sight);
        return await this.#retag(lv, { fsBytes: lv.sizeBytes });
      }
      default:
        throw new Error(`${step.kind} is no step to make a volume`);
    }
  }

  async takeAway(step: Step, leaving: Leaving, sight: Sight, going: Going): Promise<void> {
    const { host } = this.#parts;
    const what = step.kind === 'unmount' ? leaving.path : pathOf('lv' in step ? step.lv : there(sight));
    const numbers = await this.#numbersOf(leaving, sight);
    await unlessHeld(
      what,
      numbers,
      (each) => host.tables.holders(each),
      () => this.#takeAway(step, leaving, sight, going),
    );
  }

  async #takeAway(step: Step, leaving: Leaving, sight: Sight, going: Going): Promise<void> {
    switch (step.kind) {
      case 'unmount':
        await this.#run(commands.unmount(leaving.path));
        return await this.#withoutUnit(leaving.path);
      case 'close':
        return await this.#run(commands.luksClose(sight.mapping?.name ?? mappingName(leaving.uid)));
      case 'activate':
        return await this.#activate(there(sight));
      case 'shred':
        return await this.#shred(leaving, there(sight), going);
      case 'trash':
        return await this.#trash(step, leaving);
      case 'remove':
        return await this.#run(commands.remove(step.lv));
      default:
        throw new Error(`${step.kind} is no step to take a volume away`);
    }
  }

  /** Under all of which a process can hold what is taken away. A btrfs has one that only what is in it tells. */
  async #numbersOf({ path }: Leaving, { lv, mapping, atPath }: Sight): Promise<readonly DeviceNumber[]> {
    const { host, viewpoint } = this.#parts;
    const inside = atPath.length === 0 ? undefined : (await host.files.stat(`${viewpoint.root}${path}`))?.filesystem;
    return [lv?.device, mapping?.device, inside].filter((number) => number !== undefined);
  }

  /**
   * It is marked before the first byte is lost, so that nobody takes it over any more, and when nothing is left of it. What was looked at
   * is looked at once more while it is held open: what has the name by then, and the number, can be nothing else any more.
   */
  async #shred({ shred: method }: Leaving, lv: LogicalVolume, { signal, progress }: Going): Promise<void> {
    const { host, viewpoint, clock } = this.#parts;
    await this.#canBeShredded(lv);
    if (lv.isReadOnly) await this.#run(commands.makeWritable(lv));
    await this.#retag(lv, { isShredding: true });
    const path = `${viewpoint.root}${pathOf(lv)}`;
    {
      await using device = await host.devices.open(path, { access: 'read-write', exclusive: true, direct: true });
      const now = await this.#isStillShredding(lv, device.number);
      if (ownerOf(now)?.options.cryptSecret === undefined)
        await this.#rounds.away(async () => {
          using _slot = await this.#shredding.take(signal);
          await shred(device, now, method, { clock, commands: host, progress, signal });
        });
    }
    const now = await this.#isStillShredding(lv, lv.device);
    if (ownerOf(now)?.options.cryptSecret !== undefined) await this.#eraseKeys(now);
    await this.#retag(now, { isShredding: false, isShredded: true });
  }

  /** What is discarded in a pool that keeps that to itself stays on the disks. */
  async #canBeShredded({ group, pool, tags }: LogicalVolume): Promise<void> {
    if (pool === undefined || ownerOf({ tags })?.options.cryptSecret !== undefined) return;
    const { stdout } = await this.#result(commands.discardsOfPool({ vg: group, name: pool }));
    if (!passesDiscardsOn(stdout))
      throw new Refuse({ ...refusal('discardDoesNotReachDisk', { pool: `${group}/${pool}` }), recheckMs: RECHECK_MS });
  }

  async #isStillShredding({ group, name, uuid }: LogicalVolume, device: DeviceNumber | undefined) {
    const now = (await this.look()).lvm.groups.get(group)?.volumes.get(name);
    if (now?.uuid !== uuid || now.device !== device || !ownerOf(now)?.isShredding)
      throw new Retry(`${group}/${name} is not what it was when it was looked at, so it is not shredded`);
    return now;
  }

  /** Without its keys nobody can read what is on it. Where there are none, nobody ever could. */
  async #eraseKeys(lv: LogicalVolume): Promise<void> {
    const { host, viewpoint } = this.#parts;
    const found = await contentAt(host, `${viewpoint.root}${pathOf(lv)}`);
    if (!found.known) throw new Retry(`what is on ${pathOf(lv)} cannot be told: ${found.why}`);
    await this.#isStill(pathOf(lv), lv.device);
    if (found.value === 'crypto_LUKS') return await this.#run(commands.luksErase(pathOf(lv)));
    if (ownerOf(lv)?.state === 'ready')
      throw new Retry(`${pathOf(lv)} is marked as encrypted and is not: it is not shredded, and so not removed`);
  }

  async #trash({ does, lv }: Step & { kind: 'trash' }, { uid, name, shred: method }: Leaving): Promise<void> {
    switch (does) {
      case 'mark': {
        const trashedAt = Math.floor(this.#parts.clock.now().getTime() / 1000);
        const options = { ...ownerOf(lv)?.options, shred: method, removePolicy: 'trash' };
        return await this.#retag(lv, { trashedAt, options });
      }
      case 'rename': {
        const to = trashName(lv.group, { pv: name, uid });
        return await this.#run(commands.rename({ vg: lv.group, name: lv.name, to }));
      }
      case 'deactivate':
        return await this.#run(commands.deactivate([lv]));
    }
  }

  async namesIn(directory: string): Promise<readonly string[]> {
    const { host, viewpoint } = this.#parts;
    const there = `${viewpoint.root}${directory}`;
    return (await host.files.stat(there))?.kind === 'directory' ? await host.files.list(there) : [];
  }

  async removeMountPoint(path: string): Promise<void> {
    const { host, viewpoint } = this.#parts;
    await this.#withoutUnit(path);
    const there = `${viewpoint.root}${path}`;
    if ((await host.files.lstat(there))?.kind !== 'directory') return;
    await this.#tryRun(commands.makeMutable(path));
    await host.files.remove(there);
  }

  async #create(bytes: bigint, declared: Declared, { group }: Sight): Promise<void> {
    const { name, uid, options, inForce } = declared;
    const { cluster } = this.#parts;
    const isSnapshot = options.snapshotOf !== undefined;
    const state = isSnapshot ? 'ready' : 'wiping';
    const tags = tagsOf({ uid, pv: name, cluster, state, options: inForce, fsBytes: bytes });
    const volume = { vg: options.vg, name, tags, bytes };
    if (options.snapshotOf !== undefined) {
      const origin = options.snapshotOf;
      const isThin = group?.volumes.get(origin)?.pool !== undefined;
      const { bytes: _, ...unsized } = volume;
      return await this.#run(
        isThin ? commands.createThinSnapshot({ ...unsized, origin }) : commands.createSnapshot({ ...volume, origin }),
      );
    }
    const { thin } = options;
    await this.#run(thin ? commands.createThin({ ...volume, pool: thin.pool }) : commands.createPlain(volume));
    await this.#isWiped(volume);
  }

  /** LVM writes the marks before it wipes: only when it has ended is all of that done. */
  async #isWiped({ vg, name, tags }: { readonly vg: string; readonly name: string; readonly tags: readonly string[] }) {
    const made = (await this.look()).lvm.groups.get(vg)?.volumes.get(name);
    if (!made || !tags.every((tag) => made.tags.includes(tag)))
      throw new Retry(`${vg}/${name} is not there as it was made`);
    await this.#markNew(made);
  }

  /** What it holds stays as it is: only whose it is is written anew. */
  async #adopt({ name, uid, inForce }: Declared, lv: LogicalVolume): Promise<void> {
    const { cluster } = this.#parts;
    const before = ownerOf(lv);
    const owner: Owner = {
      uid,
      pv: name,
      cluster,
      state: before?.state ?? 'ready',
      options: inForce,
      fsBytes: before?.fsBytes ?? lv.sizeBytes,
    };
    await this.#run(commands.changeTags([lv], changeOfTags(lv, owner)));
  }

  async #retag(lv: LogicalVolume, changes: Partial<Owner>): Promise<void> {
    const owner = ownerOf(lv);
    if (!owner) throw new Retry(`${pathOf(lv)} is no longer marked as ours`);
    const change = changeOfTags(lv, { ...owner, ...changes });
    // To LVM a change of nothing is a failure.
    if (change.add.length + change.remove.length > 0) await this.#run(commands.changeTags([lv], change));
  }

  async #encrypt({ options }: Declared, lv: LogicalVolume, signal: AbortSignal): Promise<void> {
    if (!options.crypt) throw new Error('a volume without a key cannot be encrypted');
    const device = pathOf(lv);
    await this.#isStill(device, lv.device);
    const { key } = await readKeys(this.#parts.client, options.crypt, signal);
    await this.#run(commands.luksFormat({ device, key }));
  }

  /** Whether one of its keys opens what is there: then it was encrypted to the end. */
  async #opens({ options }: Declared, device: string, signal: AbortSignal): Promise<boolean> {
    if (!options.crypt) return false;
    const { key, previousKey } = await readKeys(this.#parts.client, options.crypt, signal);
    for (const each of previousKey ? [key, previousKey] : [key])
      if (commands.slotIn(await this.#result(commands.luksTestKey({ device, key: each }))) !== undefined) return true;
    return false;
  }

  async #open({ name, uid, options }: Declared, lv: LogicalVolume, signal: AbortSignal): Promise<void> {
    if (!options.crypt) throw new Error('a volume without a key cannot be opened');
    const device = pathOf(lv);
    await this.#isStill(device, lv.device);
    const keys = await readKeys(this.#parts.client, options.crypt, signal);
    await this.#noting(name, options.crypt, keys, async () => {
      const opened = { device, name: mappingName(uid), readOnly: lv.isReadOnly };
      if (keys.previousKey && !lv.isReadOnly) await renewKeys(this.#parts.host, { device, keys });
      const tried = lv.isReadOnly ? [keys.key, keys.previousKey] : [keys.key];
      await this.#openWith(
        tried.filter((key) => key !== undefined),
        opened,
        keys,
      );
    });
  }

  /** With the first that fits: what is read only has the keys that it had when it was made so. */
  async #openWith(tried: readonly Uint8Array[], opened: Omit<commands.Opened, 'key'>, keys: Keys): Promise<void> {
    for (const key of tried) {
      try {
        return await this.#run(commands.luksOpen({ ...opened, key }));
      } catch (error) {
        if (!commands.isWrongKey(error)) throw error;
      }
    }
    throw keyIsWrong(opened.device, keys);
  }

  /** Only when there is something new: trying a key takes a second of a processor. */
  async renewKeys({ name, options }: Declared, { lv }: Sight, signal: AbortSignal): Promise<void> {
    if (!options.crypt || !lv || lv.isReadOnly) return;
    const { client, host, keyRing, log } = this.#parts;
    const keys = await readKeys(client, options.crypt, signal);
    const refusal = keyRing?.refusalOf(name, keys.version);
    if (refusal) throw refusal;
    const before = keyRing?.versionOf(name);
    const isNew = before === undefined ? keys.previousKey !== undefined : before !== keys.version;
    await this.#noting(name, options.crypt, keys, async () => {
      if (!isNew) return;
      await this.#isStill(pathOf(lv), lv.device);
      const isRenewed = await renewKeys(host, { device: pathOf(lv), keys });
      if (isRenewed) log.info({ volume: name }, 'the volume has the new key, and not the one before');
    });
  }

  /** Remembers with what keys it was done, or that they do not fit; what was cut off is done again. */
  async #noting(volume: string, secret: SecretName, { version }: Keys, work: () => Promise<void>): Promise<void> {
    const { keyRing } = this.#parts;
    try {
      await work();
      keyRing?.note(volume, secret, version);
    } catch (error) {
      if (error instanceof Refuse) keyRing?.note(volume, secret, version, error);
      throw error;
    }
  }

  /** Before anything is made that could not be used. */
  async #canBeEncrypted(secret: SecretName, signal: AbortSignal): Promise<void> {
    if (!(await this.#parts.host.isInstalled('cryptsetup'))) throw cryptsetupIsMissing();
    await readKeys(this.#parts.client, secret, signal);
  }

  async #mountIt(declared: Declared, sight: Sight, unit: MountUnit | undefined): Promise<void> {
    const { host, viewpoint } = this.#parts;
    const { path, options } = declared;
    const source = await this.#filesystemDevice(declared, sight);
    const directory = `${viewpoint.root}${path}`;
    const before = await host.files.lstat(directory);
    if (before && before.kind !== 'directory')
      throw new Retry(`${path} is a ${before.kind}, and has to be a directory`);
    if (!before) await host.files.mkdir(directory);
    await this.#makeImmutable(path);
    if (unit && (await this.#isMountedBy(unit))) return await this.#mountOptsAre(declared, sight);
    const why = await this.#mount({ source, path, fsType: options.fsType, options: mountOptsOf(options) });
    if (why !== undefined) throw new Retry(`${source} could not be mounted at ${path}: ${why}`);
    await this.#mountOptsAre(declared, sight);
  }

  /** What systemd cannot mount is mounted without it: then it is mounted now, or mount(8) says why not. */
  async #isMountedBy(unit: MountUnit): Promise<boolean> {
    try {
      await this.#enableUnit(unit);
      return true;
    } catch (error) {
      this.#parts.log.warn({ unit: unit.name, why: `${error}` }, 'systemd did not mount all of what it was asked to');
      return false;
    }
  }

  /** What the kernel passes over takes another mount, and that has to wait until nobody uses the volume. */
  async #remount(declared: Declared, sight: Sight): Promise<void> {
    const { path, options } = declared;
    const device = await this.#filesystemDevice(declared, sight);
    const was = mountOptsOf({ ...options, mountOpts: listOf(sight.owner?.options.mountOpts) });
    const remount: Remount = { fsType: options.fsType, was, wanted: mountOptsOf(options) };
    try {
      await this.#run(commands.remount({ device, path, options: remountOptions(remount) }));
    } catch (error) {
      if (!(error instanceof CommandError) || error.outcome.kind !== 'exited') throw error;
      throw needsNewMount(path, error.output.stderr.trim());
    }
    const now = (await this.look()).mounts.findLast(({ mountPoint }) => mountPoint === path);
    const unmet = now ? unmetBy(remount, now) : [];
    if (unmet.length > 0) throw needsNewMount(path, unmet.join('; '));
    await this.#mountOptsAre(declared, sight);
  }

  /** Written when they are in force. */
  async #mountOptsAre({ inForce }: Declared, { lv, owner }: Sight): Promise<void> {
    const { mountOpts } = inForce;
    if (!lv || !owner || mountOpts === undefined || owner.options.mountOpts === mountOpts) return;
    await this.#retag(lv, { options: { ...owner.options, mountOpts } });
  }

  /** Makes sure that what the path leads to is what was looked at. */
  async #filesystemDevice({ uid, options }: Declared, sight: Sight): Promise<string> {
    const lv = there(sight);
    const [path, device] = options.crypt ? [mappedPath(uid, sight), sight.mapping?.device] : [pathOf(lv), lv.device];
    await this.#isStill(path, device);
    return path;
  }

  async #isStill(path: string, device: DeviceNumber | undefined): Promise<void> {
    const { host, viewpoint } = this.#parts;
    const now = (await host.files.stat(`${viewpoint.root}${path}`))?.device;
    if (device === undefined || now !== device)
      throw new Retry(`${path} is ${now ?? 'not there'}, and was ${device ?? 'not active'} when it was looked at`);
  }

  /** After a boot these are all volumes of the node. */
  async #activateAll(lvs: readonly LogicalVolume[]): Promise<readonly undefined[]> {
    await this.#run(commands.activate(lvs));
    return lvs.map(() => undefined);
  }

  async #markAll(
    lvs: readonly LogicalVolume[],
    from: Owner['state'],
    to: Owner['state'],
  ): Promise<readonly undefined[]> {
    const change = { add: [encodeTag('state', to)], remove: [encodeTag('state', from)] };
    await this.#run(commands.changeTags(lvs, change));
    return lvs.map(() => undefined);
  }

  /** On a filesystem that knows no such mark the directory stays without it. */
  async #makeAllImmutable(paths: readonly string[]): Promise<readonly undefined[]> {
    await this.#tryRun({ ...commands.makeImmutable(''), argv: ['chattr', '+i', '--', ...paths] });
    return paths.map(() => undefined);
  }

  async #enableUnits(units: readonly MountUnit[]): Promise<readonly undefined[]> {
    const { host, viewpoint } = this.#parts;
    for (const { name, text } of units)
      await host.files.writeAtomic(`${viewpoint.root}${UNITS}/${name}`, text, { mode: 0o644 });
    await this.#run(commands.reloadUnits);
    await this.#run(commands.enableUnits(units.map(({ name }) => name)));
    return units.map(() => undefined);
  }

  /** Nothing to do where there is none, or one that somebody else has written. */
  async #withoutUnit(path: string): Promise<void> {
    const { host, viewpoint } = this.#parts;
    const name = unitNameOf(path);
    if (name === undefined || !(await host.files.stat(`${viewpoint.root}${SYSTEMD}`))) return;
    const text = await host.files.readText(`${viewpoint.root}${UNITS}/${name}`);
    if (text !== undefined && isOurs({ name, text })) await this.#dropUnit(name);
  }

  /** The files last: as long as they are there, it is known what is to be done. */
  async #dropUnits(names: readonly string[]): Promise<readonly undefined[]> {
    const { host, viewpoint } = this.#parts;
    await this.#run(commands.disableUnits(names));
    for (const name of names) await host.files.remove(`${viewpoint.root}${UNITS}/${name}`);
    await this.#run(commands.reloadUnits);
    return names.map(() => undefined);
  }

  /** Why each could not be mounted; nothing for those that are. */
  async #mountAll(entries: readonly FstabEntry[]): Promise<readonly (string | undefined)[]> {
    const { host, viewpoint } = this.#parts;
    const file = `${viewpoint.root}${FSTAB}`;
    await host.files.mkdir(dirname(file));
    await host.files.writeAtomic(file, renderFstab(entries));
    const { code, stderr } = await this.#result(commands.mountAll(FSTAB));
    const paths = entries.map(({ path }) => path);
    const { byPath, others } = mountFailures(stderr, paths);
    return paths.map((path) => byPath.get(path) ?? (code === 0 ? undefined : others[0]));
  }

  async #run(command: commands.Command): Promise<undefined> {
    await this.#result(command);
  }

  #result({ argv, options }: commands.Command): Promise<CommandResult> {
    return this.#parts.host.exec(argv, options);
  }

  async #tryRun(command: commands.Command): Promise<void> {
    try {
      await this.#run(command);
    } catch (error) {
      this.#parts.log.info({ why: `${error}` }, 'a mount point could not be protected');
    }
  }
}

const pathOf = ({ group, name }: LogicalVolume): string => `/dev/${group}/${name}`;
/** It keeps the name that it was opened with, also when it was taken over since. */
const mappedPath = (uid: string, { mapping }: Sight): string => `/dev/mapper/${mapping?.name ?? mappingName(uid)}`;

const listOf = (mountOpts = ''): readonly string[] => (mountOpts === '' ? [] : mountOpts.split(','));

const needsNewMount = (path: string, why: string): Refuse =>
  new Refuse({
    fact: 'mountOptsNeedNewMount',
    message: `the new mountOpts cannot all be had while the volume is mounted at ${path}: ${why}`,
    remedy: 'Put them back, or end the pods that use the volume and unmount it: it is mounted again with the new ones',
    recheckMs: REMOUNT_RECHECK_MS,
  });

const REMOUNT_RECHECK_MS = 60_000;

function there({ lv }: Sight): LogicalVolume {
  if (!lv) throw new Retry('its logical volume is not there');
  return lv;
}
