/** The work on a device that can take hours: it waits for its turn and for a slot, is wiped, and becomes a volume or lets one go. */
import { isDeepStrictEqual } from 'node:util';
import { after, done, type Outcome } from '../kit/controller/outcome.ts';
import type { Slots } from '../kit/slots.ts';
import { type ApplyParts, letGo, make, recycle } from './apply.ts';
import { isOfTheDevice, Refused } from './cleaning.ts';
import { type Complaints, FIRST_LOOK_AGAIN_MS } from './complaints.ts';
import { configurationOf } from './configuration.ts';
import type { Config } from './contract.ts';
import type { Seen } from './decide.ts';
import type { Wanted } from './desired.ts';
import { identityOf, isNamed, isOneDevice, keyOf } from './identity.ts';
import { type PlanOrder, planFor } from './plan.ts';
import { Progress } from './progress.ts';
import type { Report } from './report.ts';
import type { Subject } from './subject.ts';
import { Turns } from './turns.ts';
import type { DevicesViews } from './views.ts';
import type { Volume } from './volume.ts';

export interface WorkParts extends ApplyParts {
  readonly views: DevicesViews;
  readonly report: Report;
  /** Bounds how many devices are worked on at the same time. */
  readonly slots: Slots;
  /** Aborted as soon as the process is to end: a wipe is not waited for, it goes on after the next start. */
  readonly stopping: AbortSignal;
}

/** What we wrote is looked at again when the cache should show it. */
export const RECHECK_MS = 10_000;

export class Work {
  readonly #parts: WorkParts;
  readonly #complaints: Complaints;
  readonly #turns = new Turns();
  /** Volumes that the cache need not show yet. */
  readonly #madeAt = new Map<string, number>();

  constructor(parts: WorkParts, complaints: Complaints) {
    this.#parts = parts;
    this.#complaints = complaints;
  }

  /** Made by us so short a time ago that the cache does not show it yet. */
  isJustMade({ name, volume }: Seen): boolean {
    const at = this.#madeAt.get(name);
    if (at === undefined) return false;
    const isHidden = !volume && this.#parts.clock.monotonic() - at < RECHECK_MS;
    if (!isHidden) this.#madeAt.delete(name);
    return isHidden;
  }

  /** A volume of a device that has none. */
  async make(wanted: Wanted, subject: Subject, seen: Seen, signal: AbortSignal): Promise<Outcome> {
    using _turn = await this.#turns.take(turnOf(seen), signal);
    const { report, settings, clock } = this.#parts;
    report.waits(subject, { is: 'new' });
    using _slot = await this.#parts.slots.take(signal);
    if (!this.#isStillAsked(wanted.config)) return after(FIRST_LOOK_AGAIN_MS);
    if (settings.dryRun) return await this.#plan(wanted, subject, signal);
    const progress = new Progress(subject, wanted.config, this.#parts);
    try {
      const made = await make(wanted, (one) => this.#askedNow(one), progress, this.#parts, signal);
      await progress.end('verified');
      if (!made) return after(FIRST_LOOK_AGAIN_MS);
      this.#madeAt.set(wanted.name, clock.monotonic());
      report.made(subject, { name: wanted.name, uid: made.metadata.uid ?? '' });
      return after(RECHECK_MS);
    } catch (error) {
      await progress.end('failed');
      return await this.#complaints.failed(error, { subject, volume: undefined }, signal);
    }
  }

  /** The device of a volume that its owner has left. */
  async recycle(volume: Volume, config: Config, subject: Subject, seen: Seen, signal: AbortSignal): Promise<Outcome> {
    using _turn = await this.#turns.take(turnOf(seen), signal);
    const { report, settings } = this.#parts;
    report.waits(subject, { is: 'released' });
    using _slot = await this.#parts.slots.take(signal);
    if (!this.#isStillAsked(config)) return after(FIRST_LOOK_AGAIN_MS);
    if (settings.dryRun) return await this.#plan({ path: volume.path, config, volume }, subject, signal);
    const progress = new Progress(subject, config, this.#parts, volume);
    try {
      const { receipt } = await recycle(volume, config, progress, this.#parts, signal);
      await progress.end('verified');
      report.wiped(subject, receipt);
      await letGo(volume, this.#parts, signal);
      return done;
    } catch (error) {
      const hasBegun = progress.hasBegun || volume.isDeleting;
      await progress.end('failed');
      const isOrphaned = volume.isDeleting && (isOutOfReach(error) || isOfAnotherDevice(error, volume));
      if ((isOfTheDevice(error) && hasBegun) || isOrphaned) await letGo(volume, this.#parts, signal);
      return await this.#complaints.failed(error, { subject, volume: isOrphaned ? undefined : volume }, signal);
    }
  }

  async #plan(order: PlanOrder, subject: Subject, signal: AbortSignal): Promise<Outcome> {
    try {
      const plan = await planFor(order, subject, this.#parts, signal);
      this.#parts.report.stands(plan.subject, plan.state);
      return done;
    } catch (error) {
      return await this.#complaints.failed(error, { subject, volume: order.volume }, signal);
    }
  }

  /**
   * A slot can be waited for for hours, and a wipe can take as long, and a person who has corrected the configuration relies on that.
   * The devices that were found may be those of the configuration before.
   */
  #isStillAsked(config: Config): boolean {
    const now = configurationOf(this.#parts.views, this.#parts.settings);
    return now.is === 'given' && isDeepStrictEqual(now.config, config);
  }

  /** A Node that was deleted and made again has another uid, and a volume that names the old one as its owner is deleted at once. */
  #askedNow(wanted: Wanted): Wanted | undefined {
    const own = this.#parts.views.nodes.get(this.#parts.settings.node);
    return own && this.#isStillAsked(wanted.config) ? { ...wanted, node: { ...wanted.node, uid: own.uid } } : undefined;
  }
}

/**
 * A device that has several paths, as most have, is worked on for one of them at a time: else each looks to the other like a use of it.
 * Two ways to a disk are two devices of one name.
 */
function turnOf({ name, found, volume }: Seen): string {
  const path = volume?.path ?? found[0]?.path ?? '';
  const device = found.find((one) => one.path === path)?.device;
  if (!device || 'fault' in device) return name;
  const identity = identityOf(device.facts);
  return isNamed(identity) ? keyOf(identity, path) : device.facts.number;
}

/**
 * The configuration names another directory since we began: nothing of this one is wiped, and the volume cannot be kept for ever. The
 * ledger knows that its device was left and is not clean; if it is ever asked for again, it is wiped before its next volume.
 */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof Refused && error.refusal.fact === 'isOutsideTheDeviceDirectory';

/** What is at its path now is not its device, whatever else forbids to wipe that. Of its device the ledger knows that it is not clean. */
function isOfAnotherDevice(error: unknown, { identity }: Volume): boolean {
  if (!(error instanceof Refused)) return false;
  const { refusal, observed } = error;
  if (refusal.fact === 'isAnotherDevice' || refusal.fact === 'isNotABlockDevice') return true;
  const found = observed && identityOf(observed.facts);
  return Boolean(identity && found && !isOneDevice(identity, found));
}
