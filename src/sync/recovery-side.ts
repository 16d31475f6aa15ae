/** Restores what is exported: looks for a new export, and looks again when something in this cluster has changed. */
import type { Change, View } from '../kit/cache/store.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { inTurns } from '../kit/in-turns.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { Burst } from './burst.ts';
import {
  DEFAULT_POLLING_SECONDS,
  DRILL_ANNOTATION,
  type PersistentVolumeSync,
  type SeenExport,
  SYNC_LABEL,
  type SyncStatus,
} from './contract.ts';
import { drillOf, drillsWith } from './drill-result.ts';
import type { Keys } from './export/keys.ts';
import type { OwnCluster } from './own-cluster.ts';
import type { Believe, Side, Visited } from './reconcile.ts';
import { applyPlan, sizeOf } from './recover/apply.ts';
import { deciding } from './recover/decide.ts';
import type { BelievedExport, Found } from './recover/found.ts';
import { lastSeen, seenExport } from './recover/last-seen.ts';
import { findExport, isSameExport } from './recover/newest.ts';
import type { RecoveryPlan } from './recover/plan.ts';
import type { Obstacle } from './recover/refusals.ts';
import type { Written } from './recover/writing.ts';
import {
  dryRunEnding,
  ownEnding,
  refusedEnding,
  restoredEnding,
  troubleEnding,
  waitingEnding,
} from './recovery-ending.ts';
import type { Report } from './report.ts';
import type { Ending } from './status.ts';
import type { Stores } from './stores.ts';
import { troubleOf } from './trouble.ts';
import type { SyncViews } from './views.ts';

export interface RecoveryParts {
  readonly views: SyncViews;
  readonly client: KubeClient;
  readonly stores: Stores;
  readonly own: OwnCluster;
  readonly keys: () => Keys;
  readonly clock: Clock;
  readonly report: Report;
}

/** What is remembered of a resource, as it is written. */
interface Memory {
  readonly generation: number | undefined;
  /** Of the export that this cluster was made like; without it the whole of it is read again. */
  etag?: string;
  /** How the last look ended that read all of an export. */
  ending?: Ending;
  /** What was believed last, whether or not it could be restored. */
  believed?: SeenExport;
  /** Of an export that was read and could not be restored as a whole: how often so far, and when it is read again. */
  again?: Again;
  /** When to look next. */
  lookAt: number;
  /** The objects that were not restored, and what is in their way: when one of them changes it may be possible. */
  refused: ReadonlySet<string>;
}

/** One look at the exports, from the first request to the store on. */
interface Look {
  readonly began: number;
  readonly signal: AbortSignal;
  readonly believe: Believe;
}

interface Again {
  readonly etag: string;
  readonly times: number;
  readonly at: number;
}

/** An export that stays as it is, and cannot be restored, is not read more often than that in the end. */
const LONGEST_REST_MS = 600_000;

export class RecoverySide implements Side {
  readonly #parts: RecoveryParts;
  readonly #memories = new Map<string, Memory>();
  /** Changes in this cluster that may have undone something, or made something possible. */
  readonly #burst: Burst;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
    this.#burst = new Burst(parts.clock);
    const { volumes, claims, classes, namespaces } = parts.views;
    this.#follow('PersistentVolume', volumes);
    this.#follow('PersistentVolumeClaim', claims);
    classes.subscribe(({ key }) => {
      if (this.#isInTheWay('StorageClass', key)) this.#burst.note();
    });
    namespaces.subscribe(() => {
      if ([...this.#memories.values()].some(({ refused }) => refused.size > 0)) this.#burst.note();
    });
  }

  forget(name: string): void {
    this.#memories.delete(name);
  }

  async visit(sync: PersistentVolumeSync, signal: AbortSignal, believe: Believe): Promise<Visited> {
    const { clock } = this.#parts;
    const memory = this.#memoryOf(sync);
    const lookMs = memory.lookAt - clock.monotonic();
    const waitMs = this.#burst.isUnderWay ? Math.min(lookMs, this.#burst.waitMs) : lookMs;
    if (waitMs > 0) return { kind: 'later', ms: waitMs };
    const isReadAgain = memory.again !== undefined && clock.monotonic() >= memory.again.at;
    if (this.#burst.isUnderWay || isReadAgain) delete memory.etag;
    this.#burst.take();
    const pollingMs = pollingMsOf(sync);
    memory.lookAt = clock.monotonic() + pollingMs;
    const look = { began: clock.monotonic(), signal, believe };
    return { kind: 'ended', ending: this.#told(sync, memory, await this.#look(sync, memory, look)), ms: pollingMs };
  }

  async #look(sync: PersistentVolumeSync, memory: Memory, look: Look): Promise<Ending> {
    const { signal } = look;
    try {
      return await this.#answer(sync, memory, await this.#find(sync, memory, signal), look);
    } catch (error) {
      return troubled(error, signal);
    }
  }

  async #find({ spec, status }: PersistentVolumeSync, { etag }: Pick<Memory, 'etag'>, signal: AbortSignal) {
    const { stores, keys, clock, own } = this.#parts;
    const clusterUid = await own.uid(signal);
    const store = await stores.of(spec.cloudProvider);
    const looking = { store, spec, status, keys: keys(), clusterUid, now: clock.now(), ...(etag && { etag }) };
    return await findExport(looking, signal);
  }

  async #answer(sync: PersistentVolumeSync, memory: Memory, found: Found, look: Look): Promise<Ending> {
    switch (found.kind) {
      case 'waiting':
        return waitingEnding(found);
      case 'refused':
        return found.etag === undefined
          ? refusedEnding(found)
          : this.#later(sync, memory, { etag: found.etag }, refusedEnding(found));
      case 'own':
        return this.#remembered(memory, found, ownEnding(sync.spec, found));
      case 'export':
        memory.believed = seenExport(found);
        return await this.#tryToRestore(sync, memory, found, look);
      case 'unchanged':
        return standing(memory);
      case 'confirmed':
        memory.etag = found.etag;
        memory.ending = confirmed(standing(memory), found.confirmedAt);
        return memory.ending;
    }
  }

  async #tryToRestore(
    sync: PersistentVolumeSync,
    memory: Memory,
    found: BelievedExport & { readonly pointerSeen: boolean },
    look: Look,
  ): Promise<Ending> {
    try {
      return await this.#restore(sync, memory, found, look);
    } catch (error) {
      return this.#later(sync, memory, found, troubled(error, look.signal));
    }
  }

  async #restore(
    sync: PersistentVolumeSync,
    memory: Memory,
    found: BelievedExport & { readonly pointerSeen: boolean },
    look: Look,
  ): Promise<Ending> {
    const { signal } = look;
    const plan = await inTurns(deciding(this.#seen(sync, found)), signal);
    memory.refused = new Set(
      plan.refused.flatMap((each) => [each, ...(each.because ? [each.because] : [])]).map(nameOf),
    );
    if (sync.spec.dryRun) return this.#remembered(memory, found, dryRunEnding(plan, found));
    if (takesOutOfScope(plan)) {
      // A failover that has begun since labels what was restored: that must not be undone.
      const now = await this.#find(sync, found, signal);
      if (now.kind === 'own') return await this.#answer(sync, memory, now, look);
    }
    const seen = seenExports(sync, seenExport(found), found.pointerSeen);
    if (seen && sizeOf(plan) > 0) await look.believe(seen);
    const written = await this.#apply(sync, plan, signal);
    const isWhole = written.failures.length === 0;
    const seconds = isFromNothing(found, written) ? this.#secondsSince(look) : undefined;
    const ending = restoredEnding({ found, plan, written, managed: this.#managed(sync), seconds });
    return isWhole ? this.#remembered(memory, found, ending) : this.#later(sync, memory, found, ending);
  }

  #secondsSince({ began }: Look): number {
    return (this.#parts.clock.monotonic() - began) / 1000;
  }

  #remembered(memory: Memory, { etag }: { readonly etag: string }, ending: Ending): Ending {
    memory.etag = etag;
    memory.ending = ending;
    delete memory.again;
    return ending;
  }

  /** What has failed is tried again, for which the whole export is needed: soon at first, and then ever more seldom while it is the same. */
  #later(sync: PersistentVolumeSync, memory: Memory, { etag }: { readonly etag: string }, ending: Ending): Ending {
    const { again } = memory;
    const times = again && isSameExport(again.etag, etag) ? again.times + 1 : 0;
    const restMs = Math.max(pollingMsOf(sync), Math.min(pollingMsOf(sync) * 2 ** times, LONGEST_REST_MS));
    this.#remembered(memory, { etag }, ending);
    memory.again = { etag, times, at: this.#parts.clock.monotonic() + restMs };
    return ending;
  }

  async #apply(sync: PersistentVolumeSync, plan: RecoveryPlan, signal: AbortSignal): Promise<Written> {
    const { client, report } = this.#parts;
    const written = await applyPlan(plan, { client, sync: sync.metadata.name ?? '', signal });
    report.wrote(sync, written);
    return written;
  }

  #seen({ metadata, spec }: PersistentVolumeSync, { document, outline }: BelievedExport) {
    const { volumes, claims, namespaces, classes } = this.#parts.views;
    const expandingClasses = new Set([...classes.keys()].filter((name) => classes.get(name)?.expands));
    return { sync: metadata.name ?? '', spec, document, outline, volumes, claims, namespaces, expandingClasses };
  }

  #managed({ metadata: { name = '' } }: PersistentVolumeSync) {
    const { volumes, claims } = this.#parts.views;
    return { volumes: volumes.keysBy('recovery', name), claims: claims.keysBy('recovery', name).length };
  }

  /** With what is known apart from the store. */
  #told(sync: PersistentVolumeSync, { believed }: Memory, ending: Ending): Ending {
    const seen = seenExports(sync, believed, ending.known.pointerSeen === true);
    const drill = drillOf(sync.metadata.annotations?.[DRILL_ANNOTATION]);
    const exported = ending.known.export ?? sync.status?.export;
    return {
      ...ending,
      managed: this.#managed(sync),
      known: {
        ...ending.known,
        ...(seen && { seen }),
        ...(exported && { rpoSeconds: this.#ageOf(exported) }),
        ...(drill && { lastDrill: drill, drills: drillsWith(sync.status ?? {}, drill) }),
        ...(drill && isNewer(drill.at, sync.status?.lastDrill?.at) && drill.succeeded && { rtoSeconds: drill.seconds }),
      },
    };
  }

  #ageOf({ confirmedAt, exportedAt }: NonNullable<SyncStatus['export']>): number {
    const age = this.#parts.clock.now().getTime() - Date.parse(confirmedAt ?? exportedAt);
    return Math.max(0, Math.round(age / 1000));
  }

  #memoryOf({ metadata: { name = '', generation } }: PersistentVolumeSync): Memory {
    const known = this.#memories.get(name);
    if (known && known.generation === generation) return known;
    const memory: Memory = { generation, lookAt: 0, refused: new Set() };
    this.#memories.set(name, memory);
    return memory;
  }

  #follow<P extends { readonly recovery?: string }>(kind: Obstacle['kind'], view: Pick<View<P>, 'subscribe'>): void {
    view.subscribe(({ key, before, after }: Change<P>) => {
      const isOurs = [before?.recovery, after?.recovery].some((name) => name !== undefined && this.#memories.has(name));
      if (isOurs || this.#isInTheWay(kind, key)) this.#burst.note();
    });
  }

  #isInTheWay(kind: Obstacle['kind'], key: string): boolean {
    return [...this.#memories.values()].some(({ refused }) => refused.has(nameOf({ kind, key })));
  }
}

const pollingMsOf = ({ spec }: PersistentVolumeSync): number =>
  1000 * (spec.pollingInterval ?? DEFAULT_POLLING_SECONDS);

/** Throws on what is nobody's trouble but ours, or comes of being told to stop. */
function troubled(error: unknown, signal: AbortSignal): Ending {
  const trouble = troubleOf(error);
  if (!trouble || signal.aborted) throw error;
  return troubleEnding(trouble);
}

/** What is known of the exports from now on. Nothing is said before anything was seen of them. */
function seenExports(
  { spec, status }: PersistentVolumeSync,
  believed: SeenExport | undefined,
  pointerSeen: boolean,
): SyncStatus['seen'] {
  const { hadPointer, newest } = lastSeen(spec, status);
  const pointer = hadPointer || pointerSeen;
  const last = believed ?? newest;
  if (!pointer && last === undefined) return undefined;
  return { cluster: spec.protectedCluster.toLowerCase(), pointer, ...(last && { newest: last }) };
}

/** Whether all that is exported was created at once: only that tells how long it takes after a disaster. */
const isFromNothing = ({ document: { counts } }: BelievedExport, { counts: { create } }: Written): boolean =>
  create === counts.volumes + counts.claims;

const takesOutOfScope = ({ change }: RecoveryPlan): boolean =>
  change.some(({ patch }) => patch.metadata?.labels?.[SYNC_LABEL] === null);

const nameOf = ({ kind, key }: Obstacle): string => `${kind} ${key}`;

/** Nothing is new: how it stood stands. */
function standing({ ending }: Memory): Ending {
  if (!ending) throw new Error('an export was said to be unchanged that was never read');
  return ending;
}

/** And is as old as the last confirmation. */
function confirmed(ending: Ending, confirmedAt: string): Ending {
  const { export: exported } = ending.known;
  return exported ? { ...ending, known: { ...ending.known, export: { ...exported, confirmedAt } } } : ending;
}

const isNewer = (at: string, before: string | undefined): boolean => before === undefined || at > before;
