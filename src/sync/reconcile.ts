/**
 * Makes one resource right: the side of it that its mode says, exporting or restoring, and what both have in common. Only the oldest
 * resource of a cluster counts; one that is deleted lets go of what it restored first.
 */
import { isDeepStrictEqual } from 'node:util';
import { OwnWrites } from '../kit/cache/own-writes.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { after, done, type Outcome } from '../kit/controller/outcome.ts';
import type { ReconcileContext } from '../kit/controller/turn.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import {
  FIELD_MANAGER,
  FINALIZER,
  PERSISTENT_VOLUME_SYNCS,
  type PersistentVolumeSync,
  type SyncStatus,
} from './contract.ts';
import { elderOf } from './elder.ts';
import type { Written } from './recover/writing.ts';
import type { Report } from './report.ts';
import { type Ending, isNews, replacing, statusOf } from './status.ts';
import type { SyncViews } from './views.ts';

/** Exporting, or restoring. */
export interface Side {
  /** Does what is to be done now. Failures that people should know of are an ending, too. */
  visit(sync: PersistentVolumeSync, signal: AbortSignal, believe: Believe): Promise<Visited>;
  /** The resource is gone, or has become the other side. */
  forget(name: string): void;
}

/** Writes down which exports were seen, before anything is done on the word of one: who comes after us believes nothing older either. */
export type Believe = (seen: NonNullable<SyncStatus['seen']>) => Promise<void>;

export type Visited =
  /** Nothing is to be done, or told, until then. */
  | { readonly kind: 'later'; readonly ms: number }
  | { readonly kind: 'ended'; readonly ending: Ending; readonly ms: number };

export interface ReconcileParts {
  readonly views: Pick<SyncViews, 'syncs'>;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly report: Report;
  readonly sides: { readonly Protected: Side; readonly Recovery: Side };
  /** Cuts what the original has tied restored objects to their resource with. */
  readonly disown: (name: string, signal: AbortSignal) => Promise<Written>;
  /** Lets go of what was restored for a resource. Gives the number of objects. */
  readonly release: (name: string, signal: AbortSignal) => Promise<number>;
}

/** Until the cache shows what we wrote. */
const CATCH_UP_MS = 200;

export class Reconciler {
  readonly #parts: ReconcileParts;
  readonly #own: OwnWrites;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
    this.#own = new OwnWrites(parts.views.syncs, parts.clock);
  }

  async reconcile(name: string, { signal }: ReconcileContext): Promise<Outcome> {
    const { views, report } = this.#parts;
    const sync = views.syncs.get(name);
    if (!sync) {
      this.#forget(name);
      report.gone(name);
      return done;
    }
    if (this.#own.isAheadOfCache(name)) return after(CATCH_UP_MS);
    if (sync.metadata.deletionTimestamp) return this.#leave(sync, signal);
    // Before anything that may fail or take its time: once the resource is deleted it may be too late.
    report.wrote(sync, await this.#parts.disown(name, signal));
    const elder = elderOf(views.syncs.values());
    if (elder && elder.metadata.name !== name) return this.#stepBack(sync, elder, signal);
    if (!hasFinalizer(sync)) return this.#holdOn(sync, signal);
    return this.#visit(sync, signal);
  }

  async #visit(sync: PersistentVolumeSync, signal: AbortSignal): Promise<Outcome> {
    const { sides } = this.#parts;
    const { mode } = sync.spec;
    sides[mode === 'Protected' ? 'Recovery' : 'Protected'].forget(sync.metadata.name ?? '');
    let latest = sync;
    const believe: Believe = async (seen) => {
      if (isDeepStrictEqual(latest.status?.seen, seen)) return;
      latest = await this.#setStatus(latest, { ...latest.status, seen }, signal);
    };
    const visited = await sides[mode].visit(sync, signal, believe);
    if (visited.kind === 'ended') await this.#tell(latest, visited.ending, signal);
    return after(visited.ms);
  }

  #forget(name: string): void {
    const { Protected, Recovery } = this.#parts.sides;
    Protected.forget(name);
    Recovery.forget(name);
  }

  /** Before anything is restored: what is restored has to be released, whatever happens to the resource. */
  async #holdOn(sync: PersistentVolumeSync, signal: AbortSignal): Promise<Outcome> {
    const finalizers = [...(sync.metadata.finalizers ?? []), FINALIZER];
    await this.#setFinalizers(sync, finalizers, signal);
    return after(CATCH_UP_MS);
  }

  async #leave(sync: PersistentVolumeSync, signal: AbortSignal): Promise<Outcome> {
    const { name = '' } = sync.metadata;
    this.#forget(name);
    if (!hasFinalizer(sync)) return done;
    const released = await this.#parts.release(name, signal);
    this.#parts.report.released(sync, released);
    const finalizers = (sync.metadata.finalizers ?? []).filter((each) => each !== FINALIZER);
    try {
      await this.#setFinalizers(sync, finalizers, signal);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    return done;
  }

  async #stepBack(sync: PersistentVolumeSync, elder: PersistentVolumeSync, signal: AbortSignal): Promise<Outcome> {
    this.#forget(sync.metadata.name ?? '');
    const message = `a cluster has one PersistentVolumeSync, and ${elder.metadata.name} is older: nothing is done for this one. Delete one of the two`;
    await this.#tell(
      sync,
      {
        succeeded: false,
        errorMessage: message,
        conditions: { Refused: { status: 'True', reason: 'AnotherResourceIsOlder', message } },
        known: {},
      },
      signal,
    );
    return done;
  }

  async #tell(sync: PersistentVolumeSync, ending: Ending, signal: AbortSignal): Promise<void> {
    const { clock, report } = this.#parts;
    const status = statusOf(sync, ending, clock.now());
    report.ended(sync, status, ending.facts);
    if (isNews(sync.status, status)) await this.#setStatus(sync, status, signal);
  }

  async #setStatus(sync: PersistentVolumeSync, status: SyncStatus, signal: AbortSignal): Promise<PersistentVolumeSync> {
    const { name = '', uid = '', resourceVersion = '' } = sync.metadata;
    const written = await this.#parts.client.mergePatch(
      PERSISTENT_VOLUME_SYNCS,
      { name },
      { status: replacing(sync.status, status) },
      {
        subresource: 'status',
        preconditions: { uid, resourceVersion },
        fieldManager: FIELD_MANAGER,
        signal,
      },
    );
    this.#own.note(name, written);
    return written;
  }

  /** Nobody else's finalizer is touched: the list is the one that was seen with ours in it or not, or nothing is written. */
  async #setFinalizers(
    { metadata }: PersistentVolumeSync,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { name = '', uid = '', resourceVersion = '' } = metadata;
    const written = await this.#parts.client.mergePatch(
      PERSISTENT_VOLUME_SYNCS,
      { name },
      { metadata: { finalizers } },
      { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal },
    );
    this.#own.note(name, written);
  }
}

const hasFinalizer = ({ metadata }: PersistentVolumeSync): boolean => metadata.finalizers?.includes(FINALIZER) ?? false;
