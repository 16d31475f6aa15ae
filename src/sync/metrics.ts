/** What is counted of sync: what was exported and restored, how old it is and how long it takes, what is refused, and what the store is asked for. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { removeSeries } from '../kit/observe/remove-series.ts';
import type { ObjectStore } from './store/store.ts';

export type Verb = Exclude<keyof ObjectStore, 'description' | 'close'>;
export type Written = 'created' | 'changed' | 'removed' | 'released';

export interface SyncMetrics {
  exported(sync: string, exported: { readonly bytes: number; readonly seconds: number }): void;
  /** When the newest complete export was last known to be all there is, in milliseconds; before the first one, when it was asked for. */
  confirmed(sync: string, at: number | undefined): void;
  managed(sync: string, volumes: number, claims: number): void;
  wrote(sync: string, what: Written, count: number): void;
  restored(sync: string, seconds: number): void;
  /** Facts that stand in the way at the moment, each with the number of objects that it concerns. */
  refuses(sync: string, facts: ReadonlyMap<string, number>): void;
  deposed(sync: string, is: boolean): void;
  asked(verb: Verb, result: string, seconds: number): void;
  gone(sync: string): void;
}

const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];
const EXPORT_SECONDS = [0.05, 0.2, 1, 5, 20, 60, 300];

export function syncMetrics(registry: Registry, now: () => number): SyncMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string, ...others: string[]) =>
    new Gauge({ name, help, labelNames: ['sync', ...others], registers });
  const counter = (name: string, help: string, ...others: string[]) =>
    new Counter({ name, help, labelNames: ['sync', ...others], registers });
  const confirmedAt = new Map<string, number>();
  const told = new Map<string, ReadonlySet<string>>();
  new Gauge({
    name: 'holdfast_sync_rpo_seconds',
    help: 'How old the newest complete export is: what would be lost if the protected cluster were lost now. Before the first one, how long it has been waited for.',
    labelNames: ['sync'],
    registers,
    collect() {
      this.reset();
      for (const [sync, at] of confirmedAt) this.set({ sync }, Math.max(0, (now() - at) / 1000));
    },
  });
  const rto = gauge(
    'holdfast_sync_rto_seconds',
    'How long the last restore of a whole export from nothing, or the last drill, took, with reading and verifying it.',
  );
  const volumes = gauge('holdfast_sync_managed_volumes', 'Volumes that are exported, or were restored.');
  const claims = gauge('holdfast_sync_managed_claims', 'Claims that are exported, or were restored.');
  const deposed = gauge('holdfast_sync_deposed', 'Whether another cluster has taken over, and this one has to stop.');
  const refused = gauge('holdfast_sync_refused_objects', 'What stands in the way, and of how many objects.', 'fact');
  const exports = counter('holdfast_sync_exports_total', 'Exports that were written and can be restored.');
  const bytes = gauge('holdfast_sync_export_bytes', 'How large the last export was.');
  const seconds = new Histogram({
    name: 'holdfast_sync_export_seconds',
    help: 'How long it took to write an export, until it can be restored.',
    labelNames: ['sync'],
    buckets: EXPORT_SECONDS,
    registers,
  });
  const written = counter('holdfast_sync_written_objects_total', 'Objects that were written in the cluster.', 'what');
  const requests = new Histogram({
    name: 'holdfast_sync_store_request_seconds',
    help: 'Requests to the object store, by what they came to.',
    labelNames: ['verb', 'result'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const ofSync = [rto, volumes, claims, deposed, refused, exports, bytes, seconds, written];
  return {
    exported(sync, { bytes: count, seconds: took }) {
      exports.inc({ sync });
      bytes.set({ sync }, count);
      seconds.observe({ sync }, took);
    },
    confirmed: (sync, at) => void (at === undefined ? confirmedAt.delete(sync) : confirmedAt.set(sync, at)),
    managed(sync, volumeCount, claimCount) {
      volumes.set({ sync }, volumeCount);
      claims.set({ sync }, claimCount);
    },
    wrote: (sync, what, count) => written.inc({ sync, what }, count),
    restored: (sync, took) => rto.set({ sync }, took),
    refuses(sync, facts) {
      for (const fact of told.get(sync) ?? []) if (!facts.has(fact)) refused.remove({ sync, fact });
      for (const [fact, count] of facts) refused.set({ sync, fact }, count);
      told.set(sync, new Set(facts.keys()));
    },
    deposed: (sync, is) => deposed.set({ sync }, is ? 1 : 0),
    asked: (verb, result, took) => requests.observe({ verb, result }, took),
    gone(sync) {
      confirmedAt.delete(sync);
      told.delete(sync);
      void removeSeries(ofSync, 'sync', sync);
    },
  };
}
