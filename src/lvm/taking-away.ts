/** The steps that take a volume away. Each looks at what it touches, and nothing that somebody holds is taken from him. */
import type { Clock } from '../kit/clock/clock.ts';
import { Refuse, Retry } from '../kit/controller/outcome.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Host } from '../kit/host/host.ts';
import { Slots } from '../kit/slots.ts';
import * as commands from './commands.ts';
import type { Leaving } from './decide-removal.ts';
import type { Encryption } from './encryption.ts';
import type { LogicalVolume } from './facts.ts';
import { unlessHeld } from './held.ts';
import { type LocalNode, pathOf } from './local-node.ts';
import type { Going } from './machine.ts';
import { refusal } from './reasons.ts';
import { passesDiscardsOn, shred } from './shred.ts';
import { mappingName, type Sight, there } from './sight.ts';
import type { Step } from './steps.ts';
import { ownerOf } from './tags.ts';
import { trashName } from './trash.ts';

export interface TakingAwayParts {
  readonly node: LocalNode;
  readonly host: Host;
  readonly clock: Clock;
  readonly encryption: Encryption;
  /** The uid of the cluster. */
  readonly cluster: string;
}

/** How soon to look whether what forbids it is gone. */
const RECHECK_MS = 30_000;

/** Each keeps some threads of the process and a disk busy. */
export const SHREDS_AT_ONCE = 4;

export class TakingAway {
  readonly #parts: TakingAwayParts;
  readonly #node: LocalNode;
  readonly #shredding = new Slots(SHREDS_AT_ONCE);

  constructor(parts: TakingAwayParts) {
    this.#parts = parts;
    this.#node = parts.node;
  }

  async takeAway(step: Step, leaving: Leaving, sight: Sight, going: Going): Promise<void> {
    const { host } = this.#parts;
    if (step.kind === 'resume') return await this.#node.resume(step.lv); // who holds it waits for that, and so would we
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
        await this.#node.run(commands.unmount(leaving.path));
        return await this.#node.withoutUnit(leaving.path);
      case 'close':
        return await this.#node.run(commands.luksClose(sight.mapping?.name ?? mappingName(leaving.uid)));
      case 'activate':
        return await this.#node.activate(step.lv);
      case 'shred':
        return await this.#shred(leaving, there(sight), going);
      case 'trash':
        return await this.#trash(step, leaving);
      case 'remove':
        return await this.#node.run(commands.remove(step.lv));
      default:
        throw new Error(`${step.kind} is no step to take a volume away`);
    }
  }

  /** Under all of which a process can hold what is taken away. A btrfs has one that only what is in it tells. */
  async #numbersOf({ path }: Leaving, { lv, mapping, atPath }: Sight): Promise<readonly DeviceNumber[]> {
    const { host } = this.#parts;
    const inside = atPath.length === 0 ? undefined : (await host.files.stat(this.#node.seen(path)))?.filesystem;
    return [lv?.device, mapping?.device, inside].filter((number) => number !== undefined);
  }

  /**
   * It is marked before the first byte is lost, so that nobody takes it over any more, and when nothing is left of it. What was looked at
   * is looked at once more while it is held open: what has the name by then, and the number, can be nothing else any more.
   */
  async #shred({ shred: method }: Leaving, lv: LogicalVolume, { signal, progress }: Going): Promise<void> {
    const { host, clock } = this.#parts;
    await this.#canBeShredded(lv);
    if (lv.isReadOnly) await this.#node.run(commands.makeWritable(lv));
    await this.#node.retag(lv, { isShredding: true });
    const path = this.#node.seen(pathOf(lv));
    {
      await using device = await host.devices.open(path, { access: 'read-write', exclusive: true, direct: true });
      const now = await this.#isStillShredding(lv, device.number);
      if (ownerOf(now)?.options.cryptSecret === undefined)
        await this.#node.away(async () => {
          using _slot = await this.#shredding.take(signal);
          await shred(device, now, method, { clock, commands: host, progress, signal });
        });
    }
    const now = await this.#isStillShredding(lv, lv.device);
    if (ownerOf(now)?.options.cryptSecret !== undefined) await this.#parts.encryption.eraseKeys(now);
    await this.#node.retag(now, { isShredding: false, isShredded: true });
  }

  /** What is discarded in a pool that keeps that to itself stays on the disks. */
  async #canBeShredded({ group, pool, tags }: LogicalVolume): Promise<void> {
    if (pool === undefined || ownerOf({ tags })?.options.cryptSecret !== undefined) return;
    const { stdout } = await this.#node.result(commands.discardsOfPool({ vg: group, name: pool }));
    if (!passesDiscardsOn(stdout))
      throw new Refuse({ ...refusal('discardDoesNotReachDisk', { pool: `${group}/${pool}` }), recheckMs: RECHECK_MS });
  }

  async #isStillShredding({ group, name, uuid }: LogicalVolume, device: DeviceNumber | undefined) {
    const now = (await this.#node.look()).lvm.groups.get(group)?.volumes.get(name);
    if (now?.uuid !== uuid || now.device !== device || !ownerOf(now)?.isShredding)
      throw new Retry(`${group}/${name} is not what it was when it was looked at, so it is not shredded`);
    return now;
  }

  async #trash({ does, lv }: Step & { kind: 'trash' }, leaving: Leaving): Promise<void> {
    const { uid, name, shred: method } = leaving;
    switch (does) {
      case 'mark': {
        const trashedAt = this.#timeOf(leaving);
        const options = { ...ownerOf(lv)?.options, shred: method, removePolicy: 'trash' };
        // Who has made it may not have known the cluster, and what is of no cluster is never removed from the trash.
        return await this.#node.retag(lv, { trashedAt, options, cluster: this.#parts.cluster });
      }
      case 'rename': {
        const to = trashName(lv.group, { pv: name, uid });
        return await this.#node.run(commands.rename({ vg: lv.group, name: lv.name, to }));
      }
      case 'deactivate':
        return await this.#node.run(commands.deactivate([lv]));
    }
  }

  /** In seconds since 1970. A node that was just started may not know yet how late it is, and would throw it away too soon. */
  #timeOf({ deletedAt }: Leaving): number {
    const now = this.#parts.clock.now().getTime();
    return Math.floor(Math.max(now, deletedAt === undefined ? 0 : Date.parse(deletedAt)) / 1000);
  }

  /**
   * Whether it is gone: what somebody has put there is left to him, with the directory. Rejects when something is mounted there by now: its
   * unit would be stopped, and it with it.
   */
  async removeMountPoint(path: string): Promise<boolean> {
    const { host } = this.#parts;
    const [mount] = await this.#node.mountedAt(path);
    if (mount) throw new Retry(`${mount.source} is mounted at ${path} by now`);
    await this.#node.withoutUnit(path);
    const there = this.#node.seen(path);
    if ((await host.files.lstat(there))?.kind !== 'directory') return true;
    if ((await host.files.list(there)).length > 0) return false;
    await this.#node.tryRun(commands.makeMutable(path));
    await host.files.remove(there);
    return true;
  }
}
