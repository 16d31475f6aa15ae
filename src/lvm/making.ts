/** The steps that make a volume, mount it, and keep it as it is asked for. Each looks at what it touches. */

import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { Refuse, Retry } from '../kit/controller/outcome.ts';
import { CommandError } from '../kit/host/command.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import type { Log } from '../kit/observe/log.ts';
import * as commands from './commands.ts';
import { conditionOf } from './condition.ts';
import type { Creation } from './creating.ts';
import type { Content, Declared } from './decide.ts';
import type { Encryption } from './encryption.ts';
import type { VolumeGroup } from './facts.ts';
import { type Freezing, mountedAbove } from './freezing.ts';
import { type LocalNode, pathOf } from './local-node.ts';
import type { MountUnit } from './mount-units.ts';
import type { VolumeOptions } from './options.ts';
import { type OtherFact, refusal } from './reasons.ts';
import { mountOptsOf, type Remount, remountOptions, unmetBy } from './remount.ts';
import { mappingName, type Sight, there } from './sight.ts';
import { told } from './signature.ts';
import type { Step } from './steps.ts';
import { changeOfTags, type Owner, ownerOf, tagsOf } from './tags.ts';

export interface MakingParts {
  readonly node: LocalNode;
  readonly host: Host;
  readonly log: Log;
  readonly encryption: Encryption;
  readonly freezing: Freezing;
  /** The uid of the cluster. */
  readonly cluster: string;
}

export class Making {
  readonly #parts: MakingParts;
  readonly #node: LocalNode;

  constructor(parts: MakingParts) {
    this.#parts = parts;
    this.#node = parts.node;
  }

  async content(declared: Declared, sight: Sight, signal: AbortSignal): Promise<Content> {
    const { options, uid } = declared;
    const { host } = this.#parts;
    const lv = there(sight);
    const isInside = options.crypt !== undefined && sight.mapping !== undefined;
    const path = isInside ? mappedPath(uid, sight) : pathOf(lv);
    await this.#node.isStill(path, isInside ? sight.mapping?.device : lv.device);
    const exclusive = sight.owner?.state === 'new';
    const signature = told(path, await this.#node.contentAt(path, { group: lv.group, exclusive, signal }));
    if (signature === 'crypto_LUKS' && options.crypt) {
      const isWhole = await this.#node.away(() => this.#parts.encryption.opens(declared, path, signal));
      return { signature, condition: isWhole ? 'whole' : 'begun' };
    }
    if (signature !== options.fsType || sight.owner?.state !== 'new') return { signature };
    const device = { device: path, seen: this.#node.seen(path) };
    return { signature, condition: await conditionOf(host, options.fsType, device) };
  }

  /** Gives the uuid of a logical volume that it has created. */
  async make(step: Step, declared: Declared, sight: Sight, signal: AbortSignal): Promise<string | undefined> {
    if (step.kind === 'create') return await this.#create(step, declared, sight, signal);
    await this.#change(step, declared, sight, signal);
    return undefined;
  }

  async #change(step: Step, declared: Declared, sight: Sight, signal: AbortSignal): Promise<void> {
    const { options, name, path } = declared;
    switch (step.kind) {
      case 'create-pool':
        return await this.#node.createPool({ vg: options.vg, name: options.thin?.pool ?? '', bytes: step.bytes });
      case 'take-back':
        return await this.#node.run(commands.rename({ vg: step.lv.group, name: step.lv.name, to: name }));
      case 'adopt':
        return await this.#adopt(declared, sight);
      case 'remove':
        return await this.#node.run(commands.remove(step.lv));
      case 'take-out':
        return await this.#node.retag(there(sight), { trashedAt: undefined });
      case 'activate':
        return await this.#node.activate(step.lv);
      case 'resume':
        return await this.#node.resume(step.lv);
      case 'extend':
        return await this.#node.extend(there(sight), step);
      case 'encrypt':
        return await this.#node.away(() => this.#parts.encryption.encrypt(step, declared, there(sight), signal));
      case 'open':
        return await this.#node.away(() => this.#parts.encryption.open(declared, there(sight), signal));
      case 'format': {
        const [device, number] = deviceOf(declared, sight);
        await this.#node.format({ ...options, device, number, over: step.over });
        return await this.#node.markReady(there(sight));
      }
      case 'mark-ready':
        return await this.#node.markReady(there(sight));
      case 'mount':
        return await this.#mountIt(declared, sight, step.unit);
      case 'write-unit':
        return await this.#node.enableUnit(step.unit);
      case 'remount':
        return await this.#remount(declared, sight);
      case 'retag': {
        const { fsOpts = '', mountOpts = '' } = sight.owner?.options ?? {};
        return await this.#node.retag(there(sight), { options: { ...declared.inForce, fsOpts, mountOpts } });
      }
      case 'grow-filesystem': {
        const device = await this.#filesystemDevice(declared, sight);
        await this.#node.away(async () => {
          await this.#parts.encryption.grow(declared, sight, signal);
          await this.#node.run(commands.growFileSystem({ fsType: options.fsType, device, path }));
        });
        const lv = there(sight);
        return await this.#node.retag(lv, { fsBytes: lv.sizeBytes });
      }
      default:
        throw new Error(`${step.kind} is no step to make a volume`);
    }
  }

  /**
   * LVM writes the marks before it wipes, and before it makes a snapshot of what is to be one: only when it has ended is all of that done. What another attempt has made, one that was killed
   * above all, is not taken for this one's.
   */
  async #create(
    { bytes, in: room }: Step & { kind: 'create' },
    declared: Declared,
    { group }: Sight,
    signal: AbortSignal,
  ): Promise<string> {
    const { name, uid, options, inForce } = declared;
    const { cluster, encryption } = this.#parts;
    if (options.crypt) await encryption.isPossible(options.crypt, signal);
    const begun = { state: 'wiping', attempt: randomUUID() } as const;
    const tags = tagsOf({ uid, pv: name, cluster, ...begun, options: inForce, fsBytes: bytes });
    const volume = { vg: options.vg, name, tags, bytes };
    const made = await this.#node.create({
      ...volume,
      command: creationOf(volume, options, group),
      promise: room && { ...room, bytes },
      around: this.#aroundSnapshot(options),
    });
    if (options.snapshotOf === undefined) await this.#node.markNew(made);
    else if (made.origin === options.snapshotOf) await this.#node.markSnapshot(made);
    else throw new Retry(`${pathOf(made)} has not become a snapshot of ${options.snapshotOf}`);
    return made.uuid;
  }

  /** Of what is encrypted: everything else LVM holds still by itself. */
  #aroundSnapshot({ vg, crypt, snapshotOf }: VolumeOptions): Creation['around'] {
    if (!crypt || snapshotOf === undefined) return undefined;
    return async (make) => {
      const mount = mountedAbove(await this.#node.lookNow(), vg, snapshotOf);
      return mount ? await this.#parts.freezing.frozen(mount, make) : await make();
    };
  }

  /** What it holds stays as it is: only whose it is is written anew. Who has mounted it may have done so in another way: then it is remounted. */
  async #adopt({ name, uid, inForce, options }: Declared, sight: Sight): Promise<void> {
    const { cluster } = this.#parts;
    const lv = there(sight);
    const before = ownerOf(lv);
    const mountOpts = isMountedSo(options, sight) ? inForce.mountOpts : before?.options.mountOpts;
    const owner: Owner = {
      uid,
      pv: name,
      cluster,
      state: before?.state ?? 'ready',
      options: { ...inForce, mountOpts: mountOpts ?? '' },
      fsBytes: before?.fsBytes ?? lv.sizeBytes,
    };
    await this.#node.run(commands.changeTags([lv], changeOfTags(lv, owner)));
  }

  async #mountIt(declared: Declared, sight: Sight, unit: MountUnit | undefined): Promise<void> {
    const { host } = this.#parts;
    const { path, options } = declared;
    const source = await this.#filesystemDevice(declared, sight);
    const directory = this.#node.seen(path);
    await this.#leadsStraight(path);
    const before = await host.files.lstat(directory);
    if (before && before.kind !== 'directory')
      throw new Retry(`${path} is a ${before.kind}, and has to be a directory`);
    if (!before) await host.files.mkdir(directory);
    await this.#hidesNothing(declared);
    await this.#node.makeImmutable(path);
    if (unit && (await this.#isMountedBy(unit))) return await this.#mountOptsAre(declared, sight);
    const why = await this.#node.mount({ source, path, fsType: options.fsType, options: mountOptsOf(options) });
    if (why !== undefined) throw new Retry(`${source} could not be mounted at ${path}: ${why}`);
    await this.#mountOptsAre(declared, sight);
  }

  /** The kernel shows a mount by where links lead, systemd takes no link in the path of a unit, and from here they may lead elsewhere. */
  async #leadsStraight(path: string): Promise<void> {
    for (let above = dirname(path); above !== '/'; above = dirname(above))
      if ((await this.#parts.host.files.lstat(this.#node.seen(above)))?.kind === 'symlink')
        throw new Retry(
          `${above} is a symbolic link: let --mount-base, and the path of the volume, be where it leads to`,
        );
  }

  /** Of a volume that was ready before, people need what is on it more than to be told what has come below it since. */
  async #hidesNothing({ name: volume, path, wasProcessed }: Declared): Promise<void> {
    const [name] = await this.#node.namesIn(path);
    if (name === undefined) return;
    if (!wasProcessed)
      throw new Refuse({ ...refusal('mountPointIsNotEmpty', { path, name }), recheckMs: MOUNT_RECHECK_MS });
    this.#parts.log.warn({ volume, path, name }, 'there are files in the mount point, which the volume hides');
  }

  /** What systemd cannot mount is mounted without it: then it is mounted now, or mount(8) says why not. */
  async #isMountedBy(unit: MountUnit): Promise<boolean> {
    try {
      await this.#node.enableUnit(unit);
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
      await this.#node.run(commands.remount({ device, path, options: remountOptions(remount) }));
    } catch (error) {
      if (!(error instanceof CommandError) || error.outcome.kind !== 'exited') throw error;
      throw needsNewMount(path, error.output.stderr.trim());
    }
    const now = (await this.#node.look()).mounts.findLast(({ mountPoint }) => mountPoint === path);
    const unmet = now ? unmetBy(remount, now) : [];
    if (unmet.length > 0) throw needsNewMount(path, unmet.join('; '));
    await this.#mountOptsAre(declared, sight);
  }

  /** Written when they are in force. */
  async #mountOptsAre({ inForce }: Declared, { lv, owner }: Sight): Promise<void> {
    const { mountOpts } = inForce;
    if (!lv || !owner || mountOpts === undefined || owner.options.mountOpts === mountOpts) return;
    await this.#node.retag(lv, { options: { ...owner.options, mountOpts } });
  }

  /** Makes sure that what the path leads to is what was looked at. */
  async #filesystemDevice(declared: Declared, sight: Sight): Promise<string> {
    const [path, number] = deviceOf(declared, sight);
    await this.#node.isStill(path, number);
    return path;
  }
}

/** What its filesystem is on, or is to be. */
function deviceOf({ uid, options }: Declared, sight: Sight): readonly [string, DeviceNumber | undefined] {
  const lv = there(sight);
  return options.crypt ? [mappedPath(uid, sight), sight.mapping?.device] : [pathOf(lv), lv.device];
}

/** It keeps the name that it was opened with, also when it was taken over since. */
const mappedPath = (uid: string, { mapping }: Sight): string => `/dev/mapper/${mapping?.name ?? mappingName(uid)}`;

function creationOf(
  volume: commands.NewVolume,
  { thin, snapshotOf: origin }: VolumeOptions,
  group: VolumeGroup | undefined,
): commands.Command {
  if (origin === undefined)
    return thin ? commands.createThin({ ...volume, pool: thin.pool }) : commands.createPlain(volume);
  const isThin = group?.volumes.get(origin)?.pool !== undefined;
  return isThin ? commands.createThinSnapshot({ ...volume, origin }) : commands.createSnapshot({ ...volume, origin });
}

/** Or will be: it is not mounted. */
function isMountedSo(options: VolumeOptions, { atPath }: Sight): boolean {
  const mount = atPath.at(-1);
  const shown = mount && [...mount.options, ...mount.superOptions];
  return !shown || mountOptsOf(options).every((option) => shown.includes(option));
}

const listOf = (mountOpts = ''): readonly string[] => (mountOpts === '' ? [] : mountOpts.split(','));

const needsNewMount = (path: string, why: string): Refuse =>
  new Refuse({
    fact: 'mountOptsNeedNewMount' satisfies OtherFact,
    message: `the new mountOpts cannot all be had while the volume is mounted at ${path}: ${why}`,
    remedy: 'Put them back, or end the pods that use the volume and unmount it: it is mounted again with the new ones',
    recheckMs: REMOUNT_RECHECK_MS,
  });

const MOUNT_RECHECK_MS = 30_000;
const REMOUNT_RECHECK_MS = 60_000;
