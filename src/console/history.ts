/** What a console remembers: how full pools were and what became of syncs since it has looked, and which exports and drills there were before. */
import type { PvPool } from '../pool/contract.ts';
import type { PersistentVolumeSync } from '../sync/contract.ts';
import { drillsIn } from '../sync/drill-result.ts';
import type { PoolSample, SyncMoment } from './model.ts';
import type { StoredExport } from './stored-exports.ts';

const MOST_SAMPLES = 240;
const MOST_MOMENTS = 200;

export class History {
  readonly #samples = new Map<string, readonly PoolSample[]>();
  readonly #moments = new Map<string, readonly SyncMoment[]>();

  samplesOf(pool: string): readonly PoolSample[] {
    return this.#samples.get(pool) ?? [];
  }

  momentsOf(sync: string): readonly SyncMoment[] {
    return this.#moments.get(sync) ?? [];
  }

  noteOfPool(key: string, { status }: PvPool, now: Date): void {
    const { usedBytes, capacityBytes } = status ?? {};
    if (usedBytes === undefined || capacityBytes === undefined) return;
    this.#samples.set(key, withSample(this.samplesOf(key), { at: now.toISOString(), usedBytes, capacityBytes }));
  }

  noteOfSync(key: string, before: PersistentVolumeSync | undefined, after: PersistentVolumeSync): void {
    this.#add(key, momentsBetween(before, after));
  }

  /** What the object store still has of the time before. */
  noteOfExports(key: string, exports: readonly Pick<StoredExport, 'key' | 'exportedAt'>[]): void {
    this.#add(
      key,
      exports.map((each) => ({ at: each.exportedAt, kind: 'export', what: each.key, succeeded: true })),
    );
  }

  /** An export may be told of by its sync and by the object store. */
  #add(key: string, moments: readonly SyncMoment[]): void {
    const known = this.momentsOf(key);
    const exports = new Set(known.flatMap(({ kind, what }) => (kind === 'export' ? [what] : [])));
    const fresh = moments.filter(({ kind, what }) => kind !== 'export' || !exports.has(what));
    if (fresh.length > 0) this.#moments.set(key, [...known, ...fresh].toSorted(byTime).slice(-MOST_MOMENTS));
  }

  forget(kind: 'pool' | 'sync', key: string): void {
    (kind === 'pool' ? this.#samples : this.#moments).delete(key);
  }
}

/** Some have milliseconds and some have not: as text they would not be in order. */
const byTime = (one: SyncMoment, other: SyncMoment): number =>
  Date.parse(one.at) - Date.parse(other.at) || orderOf(one) - orderOf(other);

/** A restore has the time of what it restores, and comes after it. */
const orderOf = ({ kind }: SyncMoment): number => (kind === 'export' ? 0 : 1);

/** One that says the same as the two before it only moves the last of them: a line needs no more. Of too many, every second is dropped. */
export function withSample(samples: readonly PoolSample[], sample: PoolSample): readonly PoolSample[] {
  const [before, last] = samples.slice(-2);
  const isSame = (other: PoolSample | undefined) =>
    other?.usedBytes === sample.usedBytes && other.capacityBytes === sample.capacityBytes;
  const kept = isSame(before) && isSame(last) ? samples.slice(0, -1) : samples;
  const thinned = kept.length >= MOST_SAMPLES ? kept.filter((_, index) => index % 2 === 0) : kept;
  return [...thinned, sample];
}

/** What has happened between two looks at it. Of one that is seen for the first time, what its status still tells. */
export function momentsBetween(
  before: PersistentVolumeSync | undefined,
  { spec, status = {} }: PersistentVolumeSync,
): readonly SyncMoment[] {
  const { export: newest, conditions = [] } = status;
  const was = before?.status;
  const isNewExport = newest && newest.key !== was?.export?.key;
  const drills = new Set(drillsIn(was ?? {}).map(({ at }) => at));
  return [
    ...(isNewExport
      ? [
          {
            at: newest.exportedAt,
            kind: spec.mode === 'Protected' ? ('export' as const) : ('restore' as const),
            what: newest.key,
            succeeded: true,
            ...(spec.mode === 'Recovery' && status.rtoSeconds !== undefined && { seconds: status.rtoSeconds }),
          },
        ]
      : []),
    ...drillsIn(status)
      .filter(({ at }) => !drills.has(at))
      .map(({ at, message, volumes, claims, succeeded, seconds }) => ({
        at,
        kind: 'drill' as const,
        what: message ?? `${volumes} volumes and ${claims} claims`,
        succeeded,
        seconds,
      })),
    ...conditions
      .filter(({ type, status: is }) => (type === 'Refused' || type === 'Deposed') && is === 'True')
      .filter(({ type, lastTransitionTime }) => {
        const old = was?.conditions?.find((each) => each.type === type);
        return old?.status !== 'True' || old.lastTransitionTime !== lastTransitionTime;
      })
      .map(({ type, message, lastTransitionTime }) => ({
        at: lastTransitionTime,
        kind: type === 'Deposed' ? ('deposed' as const) : ('refused' as const),
        what: message,
        succeeded: false,
      })),
  ];
}
