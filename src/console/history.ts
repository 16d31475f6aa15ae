/** What a console remembers because nobody else does: how full pools were, and what became of syncs, since it has looked. */
import type { PvPool } from '../pool/contract.ts';
import type { PersistentVolumeSync } from '../sync/contract.ts';
import type { PoolSample, SyncMoment } from './model.ts';

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
    const moments = [...this.momentsOf(key), ...momentsBetween(before, after)];
    if (moments.length > 0) this.#moments.set(key, moments.toSorted(byTime).slice(-MOST_MOMENTS));
  }

  forget(kind: 'pool' | 'sync', key: string): void {
    (kind === 'pool' ? this.#samples : this.#moments).delete(key);
  }
}

const byTime = (one: SyncMoment, other: SyncMoment): number => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0);

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
  const { export: newest, lastDrill, conditions = [] } = status;
  const was = before?.status;
  const isNewExport = newest && newest.key !== was?.export?.key;
  const isNewDrill = lastDrill && lastDrill.at !== was?.lastDrill?.at;
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
    ...(isNewDrill
      ? [
          {
            at: lastDrill.at,
            kind: 'drill' as const,
            what: lastDrill.message ?? `${lastDrill.volumes} volumes and ${lastDrill.claims} claims`,
            succeeded: lastDrill.succeeded,
            seconds: lastDrill.seconds,
          },
        ]
      : []),
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
