/** Makes one device and the volume of its name right: looks at both, remembers what it saw, decides, and carries it out. */
import { isDeepStrictEqual } from 'node:util';
import { OwnWrites } from '../kit/cache/own-writes.ts';
import { after, done, type Outcome, Refuse, Retry } from '../kit/controller/outcome.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import { FileError } from '../kit/host/file-error.ts';
import { type ApplyParts, HasAVolume, letGo, make, patch, recycle } from './apply.ts';
import { isOfTheDevice, Refused } from './cleaning.ts';
import { configurationOf } from './configuration.ts';
import { type Config, TROUBLE_ANNOTATION } from './contract.ts';
import { type Decision, decide, type Seen } from './decide.ts';
import type { Wanted } from './desired.ts';
import { identityOf, isNamed, isOneDevice, keyOf } from './identity.ts';
import type { Inventory } from './inventory.ts';
import { remember } from './memory.ts';
import { Patience } from './patience.ts';
import { type PlanOrder, planFor } from './plan.ts';
import { Progress } from './progress.ts';
import type { Reason } from './reasons.ts';
import { isUse } from './refusals.ts';
import type { Report } from './report.ts';
import { type Disagreements, look } from './seen.ts';
import type { Slots } from './slots.ts';
import { asSeen, type Grievance, grievanceOf, grievanceOfReason, type Subject, stateOf, subjectOf } from './subject.ts';
import { Turns } from './turns.ts';
import type { DevicesViews } from './views.ts';
import type { Volume } from './volume.ts';

export interface ReconcileParts extends Omit<ApplyParts, 'patience'> {
  readonly views: DevicesViews;
  readonly inventory: Inventory;
  readonly disagreements: Disagreements;
  readonly report: Report;
  /** Bounds how many devices are worked on at the same time. */
  readonly slots: Slots;
  /** Aborted as soon as the process is to end: a wipe is not waited for, it goes on after the next start. */
  readonly stopping: AbortSignal;
}

/** What we wrote is looked at again when the cache should show it. */
const RECHECK_MS = 10_000;
/** What forbids a wipe may be gone in a moment, or stay for months. */
const FIRST_LOOK_AGAIN_MS = 2_000;
const LAST_LOOK_AGAIN_MS = { whileInUse: 15_000, otherwise: 300_000 };
const ENDS = 'the process ends; it is gone on with after the next start';

export function reconciler(given: ReconcileParts) {
  const parts = { ...given, patience: new Patience(given.clock) };
  const { views, inventory, disagreements, report, slots, settings, clock } = parts;
  const ownWrites = new OwnWrites(views.volumes);
  /** Volumes that the cache need not show yet. */
  const madeAt = new Map<string, number>();
  const refusals = new Map<string, number>();
  const turns = new Turns();

  return async (name: string, context: ReconcileContext): Promise<Outcome> => {
    const { stock } = inventory;
    const seen = stock && look(views, stock, settings, name, disagreements.first(stock));
    if (!seen) return done;
    if (ownWrites.isAheadOfCache(name) || isJustMade(seen)) return after(RECHECK_MS);
    await remembered(seen);
    const signal = AbortSignal.any([context.signal, parts.stopping]);
    const outcome = await carryOut(decide(seen), seen, signal);
    refusals.delete(name);
    return outcome;
  };

  function isJustMade({ name, volume }: Seen): boolean {
    const at = madeAt.get(name);
    if (at === undefined) return false;
    const isHidden = !volume && clock.monotonic() - at < RECHECK_MS;
    if (!isHidden) madeAt.delete(name);
    return isHidden;
  }

  async function remembered(seen: Seen): Promise<void> {
    try {
      await remember(seen, parts);
    } catch (error) {
      if (parts.stopping.aborted) throw new Retry(ENDS, { cause: error });
      if (error instanceof FileError)
        throw new Retry(`the ledger cannot be written: ${error.message}`, { cause: error });
      throw error;
    }
  }

  async function carryOut(decision: Decision, seen: Seen, signal: AbortSignal): Promise<Outcome> {
    const subject = subjectOf(seen);
    switch (decision.do) {
      case 'nothing':
        leftAlone(seen, subject, decision.because);
        return done;
      case 'tell':
        return await told(grievanceOfReason(decision.because), subject, seen.volume, signal);
      case 'mend':
        return await mended(decision, subject, seen, signal);
      case 'letGo':
        if (!settings.dryRun && seen.volume) await letGo(seen.volume, parts, signal);
        return done;
      case 'recycle':
        return await inTurn(seen, signal, () => recycled(decision.config, subject, seen.volume, signal));
      case 'make':
        return await inTurn(seen, signal, () => madeOf(decision.wanted, subject, signal));
    }
  }

  /** A device that has several paths, as most have, is worked on for one of them at a time: else each looks to the other like a use of it. */
  async function inTurn(seen: Seen, signal: AbortSignal, work: () => Promise<Outcome>): Promise<Outcome> {
    using _turn = await turns.take(turnOf(seen), signal);
    return await work();
  }

  /**
   * A slot can be waited for for hours, and a wipe can take as long, and a person who has corrected the configuration relies on that.
   * The devices that were found may be those of the configuration before.
   */
  function isStillAsked(config: Config): boolean {
    const now = configurationOf(views, settings);
    return now.is === 'given' && isDeepStrictEqual(now.config, config);
  }

  /** A Node that was deleted and made again has another uid, and a volume that names the old one as its owner is deleted at once. */
  function askedNow(wanted: Wanted): Wanted | undefined {
    const own = views.nodes.get(settings.node);
    return own && isStillAsked(wanted.config) ? { ...wanted, node: { ...wanted.node, uid: own.uid } } : undefined;
  }

  function leftAlone({ volume, found, name }: Seen, subject: Subject, because: Reason): void {
    if (volume) report.stands(subject, stateOf(volume));
    else if (found.length === 0 || because.fact === 'thereIsNoConfiguration') report.gone(name);
  }

  async function told(
    grievance: Grievance,
    subject: Subject,
    volume: Volume | undefined,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const hasLasted = report.refused(subject, grievance);
    if (!hasLasted) return after(FIRST_LOOK_AGAIN_MS);
    if (volume && !settings.dryRun) await annotated(volume, grievance, signal);
    return done;
  }

  /**
   * The details may change at every look, and each write brings another look: it is enough that the fact stands there. What is not
   * ours is not written to.
   */
  async function annotated(volume: Volume, { fact, why, remedy }: Grievance, signal: AbortSignal): Promise<void> {
    if (fact === 'volumeIsNotOurs' || volume.marks[TROUBLE_ANNOTATION]?.includes(`(${fact})`)) return;
    const annotations = { [TROUBLE_ANNOTATION]: `${why} (${fact}). ${remedy}` };
    ownWrites.note(volume.name, await patch(volume, { metadata: { annotations } }, parts, signal));
  }

  async function mended(
    { patch: body, because }: Extract<Decision, { readonly do: 'mend' }>,
    subject: Subject,
    { volume }: Seen,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (!volume) return done;
    report.stands(subject, stateOf(volume));
    if (because) report.refused(subject, grievanceOfReason(because));
    if (settings.dryRun) return done;
    ownWrites.note(volume.name, await patch(volume, body, parts, signal));
    return after(RECHECK_MS);
  }

  async function madeOf(wanted: Wanted, subject: Subject, signal: AbortSignal): Promise<Outcome> {
    report.waits(subject, { is: 'new' });
    using _slot = await slots.take(signal);
    if (!isStillAsked(wanted.config)) return after(FIRST_LOOK_AGAIN_MS);
    if (settings.dryRun) return await planned(wanted, subject, signal);
    const progress = new Progress(subject, wanted.config, parts);
    try {
      const made = await make(wanted, askedNow, progress, parts, signal);
      await progress.end('verified');
      if (!made) return after(FIRST_LOOK_AGAIN_MS);
      madeAt.set(wanted.name, clock.monotonic());
      report.made(subject, { name: wanted.name, uid: made.metadata.uid ?? '' });
      return after(RECHECK_MS);
    } catch (error) {
      await progress.end('failed');
      return await failed(error, subject, undefined, signal);
    }
  }

  async function recycled(
    config: Config,
    subject: Subject,
    volume: Volume | undefined,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (!volume) return done;
    report.waits(subject, { is: 'released' });
    using _slot = await slots.take(signal);
    if (!isStillAsked(config)) return after(FIRST_LOOK_AGAIN_MS);
    if (settings.dryRun) return await planned({ path: volume.path, config, volume }, subject, signal);
    const progress = new Progress(subject, config, parts, volume);
    try {
      const { receipt } = await recycle(volume, config, progress, parts, signal);
      await progress.end('verified');
      report.wiped(subject, receipt);
      await letGo(volume, parts, signal);
      return done;
    } catch (error) {
      const hasBegun = progress.hasBegun || volume.isDeleting;
      await progress.end('failed');
      const isOrphaned = volume.isDeleting && (isOutOfReach(error) || isOfAnotherDevice(error, volume));
      if ((isOfTheDevice(error) && hasBegun) || isOrphaned) await letGo(volume, parts, signal);
      return await failed(error, subject, isOrphaned ? undefined : volume, signal);
    }
  }

  async function planned(order: PlanOrder, subject: Subject, signal: AbortSignal): Promise<Outcome> {
    try {
      const plan = await planFor(order, subject, parts, signal);
      report.stands(plan.subject, plan.state);
      return done;
    } catch (error) {
      return await failed(error, subject, order.volume, signal);
    }
  }

  /** A refusal keeps the volume as it is. What the device did to us is tried again. */
  async function failed(
    error: unknown,
    subject: Subject,
    volume: Volume | undefined,
    signal: AbortSignal,
  ): Promise<Outcome> {
    if (parts.stopping.aborted) throw new Retry(ENDS, { cause: error });
    if (error instanceof Refused) return await refusedBy(error, subject, volume, signal);
    if (error instanceof HasAVolume) return await told(grievanceOfReason(error.reason), subject, volume, signal);
    if (volume && error instanceof DeviceError && error.reason === 'missing')
      return await told(grievanceOfReason({ fact: 'deviceIsMissing', path: subject.path }), subject, volume, signal);
    if (isOfTheDevice(error) || error instanceof FileError) {
      report.failed(subject, error.message);
      throw new Retry(error.message, { cause: error });
    }
    throw error;
  }

  async function refusedBy(
    { refusal, observed }: Refused,
    subject: Subject,
    volume: Volume | undefined,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const grievance = grievanceOf(refusal, settings.node, subject.path);
    await told(grievance, asSeen(subject, observed), volume, signal);
    const { fact, why, remedy } = grievance;
    const times = refusals.get(subject.name) ?? 0;
    refusals.set(subject.name, times + 1);
    const atLast = isUse(fact) ? LAST_LOOK_AGAIN_MS.whileInUse : LAST_LOOK_AGAIN_MS.otherwise;
    const recheckMs = Math.min(FIRST_LOOK_AGAIN_MS * 2 ** times, atLast);
    throw new Refuse({ fact, message: `${subject.path} ${why}`, remedy, recheckMs });
  }
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

/** Two ways to a disk are two devices of one name. */
function turnOf({ name, found, volume }: Seen): string {
  const path = volume?.path ?? found[0]?.path ?? '';
  const device = found.find((one) => one.path === path)?.device;
  if (!device || 'fault' in device) return name;
  const identity = identityOf(device.facts);
  return isNamed(identity) ? keyOf(identity, path) : device.facts.number;
}
