/** Tells people how a sync stands: in Events, metrics and the log, each in its own way, and the same only once. */
import type { EventRecorder } from '../kit/observe/events.ts';
import type { Log } from '../kit/observe/log.ts';
import type { Condition, PersistentVolumeSync, SyncStatus } from './contract.ts';
import { released, restored, well, wrong } from './events.ts';
import type { SyncMetrics } from './metrics.ts';
import type { Written } from './recover/writing.ts';

export interface ReportParts {
  readonly recorder: EventRecorder;
  readonly metrics: SyncMetrics;
  readonly log: Log;
}

/** What is wrong when it is true; the others are wrong when they are not. */
const TROUBLES: ReadonlySet<string> = new Set(['Refused', 'Deposed', 'WaitingForExport']);

export class Report {
  readonly #parts: ReportParts;
  /** What was last told of each resource. */
  readonly #told = new Map<string, string>();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /** `facts` stand in the way, each of so many objects. */
  ended(sync: PersistentVolumeSync, status: SyncStatus, facts: ReadonlyMap<string, number> = new Map()): void {
    const { metrics } = this.#parts;
    const { name = '' } = sync.metadata;
    metrics.refuses(name, facts);
    metrics.managed(name, status.managedVolumeCount ?? 0, status.managedClaimCount ?? 0);
    metrics.confirmed(name, confirmedAt(status) ?? askedForAt(sync));
    metrics.deposed(
      name,
      status.conditions?.some(({ type, status: is }) => type === 'Deposed' && is === 'True') ?? false,
    );
    const took = status.rtoSeconds;
    if (took !== undefined) metrics.restored(name, took);
    this.#tell(sync, status);
  }

  /** What a pass has written in this cluster. */
  wrote(sync: PersistentVolumeSync, { counts, failures }: Written): void {
    const { recorder, metrics, log } = this.#parts;
    const { name = '' } = sync.metadata;
    const { create, change, disown, remove } = counts;
    metrics.wrote(name, 'created', create);
    metrics.wrote(name, 'changed', change + disown);
    metrics.wrote(name, 'removed', remove);
    if (create + change + disown + remove + failures.length === 0) return;
    log.info({ sync: name, ...counts, failures: failures.length }, 'restored what was exported');
    const note = `Created ${create}, changed ${change + disown} and removed ${remove} volumes and claims; ${failures.length} failed.`;
    recorder.record(restored(sync, 'Restored', note));
  }

  released(sync: PersistentVolumeSync, count: number): void {
    const { recorder, metrics, log } = this.#parts;
    const { name = '' } = sync.metadata;
    metrics.wrote(name, 'released', count);
    log.info({ sync: name, objects: count }, 'what was restored was released, and stays');
    recorder.record(released(sync, 'Released', `${count} restored objects are no longer looked after, and stay.`));
  }

  gone(name: string): void {
    this.#told.delete(name);
    this.#parts.metrics.gone(name);
  }

  #tell(sync: PersistentVolumeSync, { conditions = [], succeeded }: SyncStatus): void {
    const { recorder, log } = this.#parts;
    const { name = '' } = sync.metadata;
    const trouble = conditions.find(isTrouble);
    const reason = trouble?.reason ?? '';
    const before = this.#told.get(name);
    this.#told.set(name, reason);
    if (reason === (before ?? '')) return;
    if (trouble) {
      recorder.record(wrong(sync, reason, sentence(trouble.message)));
      log.warn({ sync: name, fact: reason, why: trouble.message }, 'something is wrong with a sync');
    } else if (before !== undefined) {
      recorder.record(well(sync, 'Recovered', `What was wrong (${before}) is over.`));
      log.info({ sync: name, succeeded }, 'what was wrong with a sync is over');
    }
  }
}

const isTrouble = ({ type, status }: Condition): boolean => (status === 'True') === TROUBLES.has(type);

function confirmedAt({ export: exported }: SyncStatus): number | undefined {
  const at = Date.parse(exported?.confirmedAt ?? exported?.exportedAt ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** Who has never exported or restored anything is behind since then, and not without an age. A dry run is not meant to. */
function askedForAt({ spec, metadata }: PersistentVolumeSync): number | undefined {
  const at = Date.parse(metadata.creationTimestamp ?? '');
  return spec.dryRun || Number.isNaN(at) ? undefined : at;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
