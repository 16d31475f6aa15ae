/** Makes one volume right: looks at it and at the node, decides, does one step, and looks again until nothing is left to be done. */
import { OwnWrites } from '../kit/cache/own-writes.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { after, done, type Outcome, Refuse, Retry, Stalled, Wait } from '../kit/controller/outcome.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import { CommandError } from '../kit/host/command.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import { FAILED, type LvmSettings, PROCESSED, PROTECTION_FINALIZER } from './contract.ts';
import { type Content, type Declared, decide, isOpen } from './decide.ts';
import { decideRemoval, type Leaving } from './decide-removal.ts';
import { type Declaration, declarationOf } from './declared.ts';
import type { Lvm, VolumeGroup } from './facts.ts';
import { Held } from './held.ts';
import { belonging, type OwnNode, ownNodeOf } from './home.ts';
import type { Machine } from './machine.ts';
import { mountPointFault } from './names.ts';
import { readWishes } from './options/parse.ts';
import { PutOff } from './put-off.ts';
import { type OtherFact, refusal } from './reasons.ts';
import type { Report } from './report.ts';
import { type Place, type Sight, sightOf } from './sight.ts';
import { type Decision, matterOf } from './steps.ts';
import { ownerOf } from './tags.ts';
import type { LvmViews } from './views.ts';
import { isAskedTheSame, type Volume } from './volume.ts';
import type { Writes } from './writes.ts';

export interface ReconcileParts {
  readonly views: LvmViews;
  readonly settings: LvmSettings;
  readonly machine: Machine;
  readonly writes: Writes;
  readonly report: Report;
  readonly clock: Clock;
}

/** How long the server has to deny us our Node until its host name is taken for what it is called. */
const DENIED_MS = 10_000;
/** Until a write that others come in between of is left to the next turn. */
const MOST_TRIES = 4;
/** More than any volume needs: who comes here goes round in circles. */
const MOST_STEPS = 24;

export function reconciler(parts: ReconcileParts) {
  const { views, settings, machine, clock } = parts;
  const ownWrites = new OwnWrites(views.volumes, clock);
  const begunAt = clock.monotonic();
  const isDenied = () => !views.nodes.available && !views.nodes.synced;
  // A server that has just come up denies this and that for a moment. Its label may say something else than its host name.
  const isDeniedForLong = () => isDenied() && clock.monotonic() - begunAt >= DENIED_MS;
  const ownNode = (): OwnNode | undefined =>
    views.nodes.get(settings.node) ?? (isDeniedForLong() ? ownNodeOf({ name: settings.node, labels: {} }) : undefined);

  return async (name: string, context: ReconcileContext): Promise<Outcome> => {
    const volume = views.volumes.get(name);
    if (!volume) {
      parts.report.forget(name);
      return done;
    }
    const node = ownNode();
    if (!node) throw new Wait(`the cluster has no node ${settings.node} yet`, isDenied() ? DENIED_MS : undefined);
    if (ownWrites.isAheadOfCache(name)) return after(CATCH_UP_MS);
    const belongs = belonging(volume, node, settings.storageClasses);
    if (belongs === 'not-ours') {
      parts.report.forget(name);
      return done;
    }
    const turn = new VolumeTurn(parts, volume, context, ownWrites);
    if (belongs === 'homeless') return await turn.isHomeless();
    using _here = machine.join();
    return await (volume.deletedAt ? turn.takeAway() : turn.make());
  };
}

/** One turn of one volume. */
class VolumeTurn {
  readonly #parts: ReconcileParts;
  readonly #context: ReconcileContext;
  readonly #ownWrites: OwnWrites;
  /** As it was last read or written. */
  #volume: Volume;

  constructor(parts: ReconcileParts, volume: Volume, context: ReconcileContext, ownWrites: OwnWrites) {
    this.#parts = parts;
    this.#volume = volume;
    this.#context = context;
    this.#ownWrites = ownWrites;
  }

  async isHomeless(): Promise<Outcome> {
    return await this.#cannotBeMade([
      'its node affinity names no single node by the label node-id.k8s.portavita.net/nodeid, so no agent knows whose it is',
    ]);
  }

  async make(): Promise<Outcome> {
    const declaration = this.#declaration();
    this.#parts.report.warned(this.#volume, declaration.warnings);
    if (!declaration.ok) return await this.#cannotBeMade(declaration.faults);
    const { declared } = declaration;
    try {
      const putOff = new PutOff();
      const sight = await this.#makeStepByStep(declared, putOff);
      if (putOff.refusal && !putOff.has('keys')) await this.#releaseIfAsked(declared);
      if (putOff.refusal) throw putOff.refusal;
      await this.#isReady(declared, sight);
    } catch (error) {
      throw await this.#failed(error);
    }
    return done;
  }

  /** Until nothing is left that could be done. What of it was refused without need to stop is put off. */
  async #makeStepByStep(declared: Declared, putOff: PutOff): Promise<Sight> {
    const { machine, report } = this.#parts;
    const { signal } = this.#context;
    const place = { ...declared, vg: declared.options.vg };
    let created: string | undefined;
    let hasKeys = false;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const sight = sightOf(place, await machine.look());
      if (!hasKeys && isOpen(declared, sight)) {
        hasKeys = true;
        await this.#renewKeys(declared, sight, putOff);
      }
      const decision = await this.#decide(declared, sight, putOff, created);
      if (decision.kind === 'done') return sight;
      if (decision.kind !== 'step') {
        putOff.orThrow(this.#refused(decision), decision.kind === 'refuse' ? decision.matter : undefined);
        continue;
      }
      const { step } = decision;
      this.#mustStillBeWanted();
      await this.#hold(declared);
      report.does(this.#volume, declared, step);
      try {
        created = await report.timed(step.kind, () => machine.make(step, declared, sight, signal));
      } catch (error) {
        putOff.orThrow(error, matterOf(step.kind));
      }
    }
    throw new Retry(`${declared.name} is not ready after ${MOST_STEPS} steps`);
  }

  async #decide(declared: Declared, sight: Sight, { matters }: PutOff, created: string | undefined): Promise<Decision> {
    const { machine, settings } = this.#parts;
    const decideWith = (content?: Content) => decide(declared, sight, content, settings.thinLimits, matters);
    const first = decideWith();
    if (first.kind !== 'look-closer') return first;
    const isNothingYet = isJustMade(declared, sight, created);
    return decideWith(isNothingYet ? NOTHING_YET : await machine.content(declared, sight, this.#context.signal));
  }

  /** Before anything that needs a key, or may be refused: who takes the old one out of the Secret counts on it. */
  async #renewKeys(declared: Declared, sight: Sight, putOff: PutOff): Promise<void> {
    try {
      await this.#parts.machine.renewKeys(declared, sight, this.#context.signal);
    } catch (error) {
      putOff.orThrow(error, 'keys');
    }
  }

  /** A turn takes as long as its commands do: who deletes the volume meanwhile, by force and to make it anew even, gets nothing more of it. */
  #mustStillBeWanted(): void {
    const { name, uid } = this.#volume;
    const now = this.#parts.views.volumes.get(name);
    if (now?.uid !== uid || now.deletedAt !== undefined) throw new Wait('the volume was deleted while it was made');
  }

  /** Before the first thing is made for it. */
  async #hold({ inForce }: Declared): Promise<void> {
    const { isHeld, reclaimPolicy } = this.#volume;
    if (!isHeld || reclaimPolicy !== 'Retain')
      await this.#write((volume) => this.#parts.writes.hold(volume, inForce, this.#context.signal));
  }

  /** Others write to a new volume at the same moment, its phase above all. Where that is all, ours is written to what they have made of it. */
  async #write(write: (volume: Volume) => Promise<Volume>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        this.#written(await write(this.#volume));
        return;
      } catch (error) {
        if (tries === MOST_TRIES || !hasReason(error, 'Conflict')) throw error;
        const live = await this.#parts.writes.find(this.#volume.name, this.#context.signal);
        if (!live || !isAskedTheSame(live, this.#volume)) throw error;
        this.#volume = live;
      }
    }
  }

  async #isReady(declared: Declared, { lv }: Sight): Promise<void> {
    const { report, settings, writes } = this.#parts;
    await this.#hold(declared);
    const ours = {
      status: PROCESSED,
      message: null,
      mountPoint: declared.path,
      size: `${lv?.sizeBytes}`,
      node: settings.node,
      ...declared.inForce,
    };
    await this.#write((volume) => writes.annotate(volume, { ours, made: lv?.uuid }, this.#context.signal));
    report.isReady(this.#volume, declared, lv?.sizeBytes);
    await this.#releaseIfAsked(declared);
  }

  async #releaseIfAsked({ options }: Declared): Promise<void> {
    const { settings, writes, report } = this.#parts;
    const { phase, isReserved } = this.#volume;
    if (!settings.autoRelease || !options.autoRelease || phase !== 'Released' || !isReserved) return;
    report.isReleased(this.#volume);
    this.#written(await writes.release(this.#volume, this.#context.signal));
  }

  async takeAway(): Promise<Outcome> {
    if (!this.#volume.isHeld) return done;
    if (this.#volume.otherFinalizers.includes(PROTECTION_FINALIZER)) {
      const why = 'it is still bound to a claim: it goes when the claim is gone';
      this.#parts.report.waits(this.#volume, why);
      throw new Wait(why);
    }
    try {
      const isAllGone = await this.#takeAwayStepByStep();
      await this.#parts.writes.letGo(this.#volume, this.#context.signal);
      this.#parts.report.isGone(this.#volume, { isAllGone });
    } catch (error) {
      throw await this.#failed(error);
    }
    return done;
  }

  /** Whether all is gone: what somebody else has put into its mount point is not ours to remove. */
  async #takeAwayStepByStep(): Promise<boolean> {
    const { machine, report, writes } = this.#parts;
    const { signal } = this.#context;
    const live = await writes.find(this.#volume.name, signal);
    if (
      live?.uid !== this.#volume.uid ||
      live.deletedAt === undefined ||
      live.otherFinalizers.includes(PROTECTION_FINALIZER)
    )
      throw new Retry('the volume has changed since it was read: it is read again');
    this.#volume = live;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const look = await machine.look();
      const place = this.#placeIn(look.lvm);
      const sight = sightOf(place, look);
      const leaving = this.#leaving(sight);
      const decision = decideRemoval(leaving, sight);
      if (decision.kind === 'done') {
        if (steps === 0) this.#wasMadeHere(sight);
        return await this.#removeMountPoint(sight);
      }
      if (decision.kind !== 'step') throw this.#refused(decision);
      report.takesAway(this.#volume, decision.step);
      const progress = report.progressOf(this.#volume, decision.step);
      await report.timed(decision.step.kind, () =>
        machine.takeAway(decision.step, leaving, sight, { signal, progress }),
      );
    }
    throw new Retry(`${this.#volume.name} is not gone after ${MOST_STEPS} steps`);
  }

  /** Another machine with the same id has nothing of it: that is no reason to forget where it is. */
  #wasMadeHere({ lv, strays }: Sight): void {
    const { node } = this.#volume.annotations;
    if (node === undefined || node === this.#parts.settings.node || lv || strays.length > 0) return;
    throw new Refuse({ ...refusal('isOnAnotherNode', { node }), recheckMs: RECHECK_MS });
  }

  /** Unless somebody has mounted something there for himself, or it was never our place. */
  async #removeMountPoint({ atPath }: Sight): Promise<boolean> {
    const { name, path } = this.#volume;
    if (atPath.length > 0 || mountPointFault(path, this.#parts.settings.mountBase, name) !== undefined) return true;
    return await this.#parts.machine.removeMountPoint(this.#volume.path, this.#context.signal);
  }

  /** Where it is, whatever its annotations have become. */
  #placeIn({ groups }: Lvm): Place {
    const { name, uid, path, annotations } = this.#volume;
    const isHere = ({ volumes }: VolumeGroup) => {
      const lv = volumes.get(name);
      return lv !== undefined && ownerOf(lv)?.uid === uid;
    };
    return { name, uid, path, vg: groups.values().find(isHere)?.name ?? annotations.vg ?? '' };
  }

  /** A fault in anything else says nothing about what is to become of it; what it does not say itself, its marks do. */
  #leaving({ lv, owner }: Sight): Leaving {
    const { name, uid, path, annotations, made, deletedAt } = this.#volume;
    const known = { name, uid, path, made, deletedAt };
    const declaration = this.#declaration();
    if (declaration.ok) {
      const { shred, removePolicy, vg } = declaration.declared.options;
      return { ...known, shred, removePolicy, vg };
    }
    const there = { isSnapshot: lv?.kind === 'snapshot', isThin: lv?.pool !== undefined };
    return { ...known, vg: annotations.vg, ...readWishes({ ...owner?.options, ...annotations }, there) };
  }

  #declaration(): Declaration {
    const { views, settings } = this.#parts;
    const [defaults = {}] = views.defaults.values();
    return declarationOf(this.#volume, { defaults, settings });
  }

  #refused(decision: Exclude<Decision, { kind: 'step' | 'done' }>): Error {
    if (decision.kind === 'look-closer') return new Retry('what is on the device could not be told');
    const { fact, message, remedy } = decision;
    return new Refuse({ fact, message, remedy, recheckMs: RECHECK_MS });
  }

  /** What is written wrongly stays so until somebody writes it anew. */
  async #cannotBeMade(faults: readonly string[]): Promise<Outcome> {
    const why = faults.join('; ');
    this.#parts.report.isRefused(this.#volume, {
      fact: 'isWrittenWrongly' satisfies OtherFact,
      why,
      remedy: 'Correct the volume',
    });
    // Who changed it meanwhile may not have changed what we look at: nobody would ever be told.
    throw (await this.#tellFailure(why)) ? new Stalled(why) : new Retry(why);
  }

  /** Tells it on the volume and gives back what the queue is to know of it. */
  async #failed(error: unknown): Promise<unknown> {
    const { report } = this.#parts;
    if (error instanceof Wait) return error;
    if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return error; // nothing to tell: it is read and tried again
    const why = inWords(error);
    if (error instanceof Refuse || error instanceof Held)
      report.isRefused(this.#volume, { fact: error.fact, why, remedy: error.remedy });
    else report.hasFailed(this.#volume, why);
    await this.#tellFailure(why);
    return error instanceof Refuse || error instanceof Retry ? error : new Retry(why, { cause: error });
  }

  /** Whether it could be written on the volume. */
  async #tellFailure(message: string): Promise<boolean> {
    const { name, deletedAt, annotations, made } = this.#volume;
    // What was ready once keeps that mark: its data are somewhere.
    const wasMade = made ?? (annotations.status === PROCESSED ? 'by the original' : undefined);
    const ours = deletedAt ? { message } : { status: FAILED, message };
    try {
      this.#written(await this.#parts.writes.annotate(this.#volume, { ours, made: wasMade }, this.#context.signal));
      return true;
    } catch (error) {
      this.#context.log.info({ volume: name, why: `${error}` }, 'the failure could not be written on the volume');
      return false;
    }
  }

  #written(volume: Volume): void {
    if (volume === this.#volume) return;
    this.#volume = volume;
    const { name, uid, resourceVersion } = volume;
    this.#ownWrites.note(name, { metadata: { uid, resourceVersion } });
  }
}

/**
 * The step before has made this very logical volume, and LVM has said that it wiped it. That is taken to be so until just before it is
 * formatted, when it is read for the first and only time; if something is on it then, the next turn looks at what. An encrypted one is read
 * here: what is to be formatted is inside of it, and is another device.
 */
const isJustMade = ({ options }: Declared, { lv, owner }: Sight, created: string | undefined): boolean =>
  created !== undefined && lv?.uuid === created && options.crypt === undefined && owner?.state === 'new';
const NOTHING_YET: Content = { signature: undefined };

/** Until the cache shows what we wrote. */
const CATCH_UP_MS = 200;
/** How soon to look whether what forbids it is gone: a group that got room, a pod that ended. */
const RECHECK_MS = 30_000;

/** Of a command only what it said: the whole of it, with its many marks, is in the log. */
function inWords(error: unknown): string {
  if (error instanceof CommandError) return `${error.brief}. ${error.remedy}`;
  return error instanceof Error ? error.message : String(error);
}
