/** Exports what is in scope: when something has changed, and as a heartbeat. */

import type { Change, View } from '../kit/cache/store.ts';
import type { Clock } from '../kit/clock/clock.ts';
import type { Log } from '../kit/observe/log.ts';
import type { PersistentVolumeSync, SyncSpec } from './contract.ts';
import { lookEarly } from './early-look.ts';
import { type Captured, documentInTurns } from './export/document.ts';
import type { Keys } from './export/keys.ts';
import type { Writer } from './export/manifest.ts';
import type { SyncMetrics } from './metrics.ts';
import type { OwnCluster } from './own-cluster.ts';
import { Protector } from './protect/apply.ts';
import { type Decision, decide, type Known, type LastLook } from './protect/decide.ts';
import type { Exportable, Outcome } from './protect/outcome.ts';
import type { Reason } from './reasons.ts';
import type { Side, Visited } from './reconcile.ts';
import type { Ending, Standing } from './status.ts';
import type { Stores } from './stores.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import type { SyncViews } from './views.ts';

export interface ProtectedParts {
  readonly views: SyncViews;
  readonly stores: Stores;
  readonly own: OwnCluster;
  readonly keys: () => Keys;
  readonly clock: Clock;
  readonly metrics: SyncMetrics;
  readonly log: Log;
}

/** What is remembered of a resource, as it is written. */
interface Memory {
  readonly generation: number | undefined;
  readonly protector: Protector;
  last?: LastLook;
  contentSha256?: string;
  /** After a failure nothing is tried before. */
  restUntil?: number;
}

type Changed = NonNullable<Known['changed']>;

const INCOMPLETE_MS = 2_000;
const PASSING_MS = 10_000;
const LASTING_MS = 30_000;

export class ProtectedSide implements Side {
  readonly #parts: ProtectedParts;
  readonly #memories = new Map<string, Memory>();
  /** The first and the last change since what was exported last was read. */
  #changed: Changed | undefined;
  #hasBegun = false;

  constructor(parts: ProtectedParts) {
    this.#parts = parts;
    for (const view of this.#scope()) view.subscribe((change) => this.#note(change));
    parts.views.syncs.subscribe((change) => this.#expect(change));
  }

  forget(name: string): void {
    this.#memories.get(name)?.protector.close();
    this.#memories.delete(name);
  }

  async visit(sync: PersistentVolumeSync, signal: AbortSignal): Promise<Visited> {
    const { clock } = this.#parts;
    const now = clock.now().getTime();
    this.#hasBegun = true;
    try {
      const memory = await this.#memoryOf(sync);
      const restMs = (memory.restUntil ?? 0) - clock.monotonic();
      if (restMs > 0) return { kind: 'later', ms: restMs };
      const { last } = memory;
      const changed = this.#changed;
      const decision = decide({
        now,
        isComplete: this.#isComplete(),
        ...(changed && { changed }),
        ...(last && { last }),
      });
      if (decision.kind === 'wait') return { kind: 'later', ms: decision.ms };
      if (decision.kind === 'refuse') return ended(incomplete(), INCOMPLETE_MS);
      return await this.#do(decision, sync, memory, signal);
    } catch (error) {
      const trouble = troubleOf(error);
      if (!trouble || signal.aborted) throw error;
      return this.#rest(sync, trouble);
    }
  }

  async #do(
    decision: Exclude<Decision, { kind: 'wait' | 'refuse' }>,
    sync: PersistentVolumeSync,
    memory: Memory,
    signal: AbortSignal,
  ): Promise<Visited> {
    const { clock } = this.#parts;
    const outcome =
      decision.kind === 'confirm'
        ? await this.#confirm(sync, memory, signal)
        : await this.#export(sync, memory, decision.why === 'schedule', signal);
    const now = clock.now().getTime();
    if ('by' in outcome) {
      memory.last = { kind: 'barred', lookedAt: now };
      delete memory.contentSha256;
      return ended(barred(outcome.kind, outcome.by, sync.spec), 0);
    }
    memory.last = { kind: 'writer', exportedAt: Date.parse(outcome.status.exportedAt), lookedAt: now };
    memory.contentSha256 = outcome.contentSha256;
    return ended(this.#exported(outcome), 0);
  }

  async #confirm(sync: PersistentVolumeSync, memory: Memory, signal: AbortSignal): Promise<Outcome> {
    const { contentSha256 } = memory;
    const confirmed = await memory.protector.confirm({ ...(await this.#site(sync, signal)), contentSha256 }, signal);
    return confirmed.kind === 'stale' ? await this.#export(sync, memory, false, signal) : confirmed;
  }

  async #export(
    sync: PersistentVolumeSync,
    memory: Memory,
    isScheduled: boolean,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock, metrics } = this.#parts;
    const began = clock.monotonic();
    const site = await this.#site(sync, signal);
    const changed = this.#changed;
    this.#changed = undefined;
    try {
      const content = () => this.#document();
      const outcome = await memory.protector.export({ ...site, content, isScheduled }, signal);
      if (outcome.kind === 'exported') {
        const seconds = (outcome.storedAt - began) / 1000;
        metrics.exported(sync.metadata.name ?? '', { bytes: outcome.bytes, seconds });
      }
      return outcome;
    } catch (error) {
      this.#putBack(changed);
      throw error;
    }
  }

  /** What could not be exported is still to be exported. */
  #putBack(changed: Changed | undefined): void {
    if (changed) this.#changed = { first: changed.first, last: this.#changed?.last ?? changed.last };
  }

  async #site(sync: PersistentVolumeSync, signal: AbortSignal) {
    const { spec, status } = sync;
    return {
      cluster: spec.protectedCluster,
      clusterUid: await this.#parts.own.uid(signal),
      known: status?.export,
      form: formOf(spec),
      retention: spec.retention,
      asOf: new Date(this.#parts.clock.now().getTime() - this.#staleMs()),
    };
  }

  /** In the order of their keys: the same objects make the same document. All are taken at one moment, before it first gives way. */
  *#document(): Generator<void, Exportable> {
    const { classes, volumes, claims } = this.#parts.views;
    const content = { storageClasses: texts(classes), volumes: texts(volumes), claims: texts(claims) };
    const counts = {
      storageClasses: content.storageClasses.length,
      volumes: content.volumes.length,
      claims: content.claims.length,
    };
    return { document: yield* documentInTurns(content), counts };
  }

  #exported(outcome: Extract<Outcome, { kind: 'exported' | 'unchanged' }>): Ending {
    const { volumes, claims } = this.#parts.views;
    const managed = [...keysInScope(volumes)];
    const claimCount = texts(claims).length;
    const fence = outcome.fenced ? '' : '. The store does not keep two writers apart: let nobody else export here';
    const { retention } = outcome;
    const isFull = retention.kind === 'failed';
    const old = isFull ? `. Old exports cannot be removed: ${retention.why}` : '';
    const message = `${managed.length} volumes and ${claimCount} claims are exported${fence}${old}`;
    return {
      succeeded: true,
      conditions: {
        Exported: { status: 'True', reason: isFull ? 'OldExportsStay' : 'Exported', message },
        Deposed: { status: 'False', reason: 'IsTheWriter', message: 'this cluster is the writer' },
      },
      known: { export: outcome.status, fenced: outcome.fenced },
      managed: { volumes: managed, claims: claimCount },
    };
  }

  #rest(sync: PersistentVolumeSync, trouble: Trouble): Visited {
    const ms = trouble.isPassing ? PASSING_MS : LASTING_MS;
    const memory = this.#memories.get(sync.metadata.name ?? '');
    if (memory) memory.restUntil = this.#parts.clock.monotonic() + ms;
    return ended(failed(trouble), ms);
  }

  async #memoryOf({ metadata: { name = '', generation }, spec }: PersistentVolumeSync): Promise<Memory> {
    const known = this.#memories.get(name);
    if (known && known.generation === generation) return known;
    const { stores, keys, clock, log } = this.#parts;
    const store = await stores.of(spec.cloudProvider);
    known?.protector.close();
    const memory = { generation, protector: new Protector({ store, keys: keys(), clock, log }) };
    this.#memories.set(name, memory);
    return memory;
  }

  #expect({ before, after }: Change<PersistentVolumeSync>): void {
    const isFirst = !this.#hasBegun && !before;
    if (isFirst && after?.spec.mode === 'Protected') void lookEarly(after, this.#parts).catch(() => {});
  }

  #note({ before, after }: Change<{ readonly captured?: Captured }>): void {
    if (before?.captured === after?.captured) return;
    const now = this.#parts.clock.now().getTime();
    this.#changed = { first: this.#changed?.first ?? now, last: now };
  }

  #scope() {
    const { volumes, claims, classes } = this.#parts.views;
    return [volumes, claims, classes] as const;
  }

  #isComplete(): boolean {
    return this.#scope().every(({ synced, available }) => synced && available);
  }

  #staleMs(): number {
    return Math.max(...this.#scope().map(({ staleMs }) => staleMs));
  }
}

type Scope = Pick<View<{ readonly captured?: Captured }>, 'keys' | 'get'>;

function* keysInScope(view: Scope): Iterable<string> {
  for (const key of view.keys()) if (view.get(key)?.captured !== undefined) yield key;
}

const texts = (view: Scope): readonly Captured[] =>
  [...keysInScope(view)].toSorted().map((key) => view.get(key)?.captured ?? '');

const formOf = ({ compression = 'None', encryption = 'None', signed = false }: SyncSpec) => ({
  compression,
  encryption,
  isSigned: signed,
});

const ended = (ending: Ending, ms: number): Visited => ({ kind: 'ended', ending, ms });

const wrong = (reason: Reason, message: string): Standing => ({ status: 'False', reason, message });

const failed = ({ reason, message }: Trouble): Ending => ({
  succeeded: false,
  errorMessage: message,
  conditions: { Exported: wrong(reason, message) },
  known: {},
});

const incomplete = (): Ending =>
  failed({
    reason: 'CachesAreIncomplete',
    message: 'not all volumes, claims and classes of this cluster have been seen yet',
    isPassing: true,
  });

function barred(kind: 'deposed' | 'foreign', { clusterUid: uid, epoch }: Writer, spec: SyncSpec): Ending {
  const isDeposed = kind === 'deposed';
  const message = isDeposed
    ? `the cluster with uid ${uid} has taken over under epoch ${epoch}: nothing is exported any more. To follow it, set spec.mode to Recovery; to take over again, use holdfast sync failback`
    : `the exports of ${spec.protectedCluster} are those of the cluster with uid ${uid}: nothing is written over them. Give this cluster a spec.protectedCluster of its own; or, if it is to take their place, use holdfast sync failback, which lets it follow first and take over then`;
  const reason = isDeposed ? 'AnotherClusterTookOver' : 'ExportsAreAnothers';
  return {
    succeeded: false,
    errorMessage: message,
    conditions: {
      Exported: wrong(reason, message),
      ...(isDeposed
        ? { Deposed: { status: 'True', reason, message } as const }
        : { Refused: { status: 'True', reason, message } as const }),
    },
    known: {},
  };
}
