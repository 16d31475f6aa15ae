/** Tells people how pools stand: in Events, metrics and the log, each in its own way, and the same only once. */
import type { EventRecorder } from '../kit/observe/events.ts';
import type { Log } from '../kit/observe/log.ts';
import type { PvPool, PvPoolStatus } from './contract.ts';
import { autoscaled, began, cancelled, claimDeleted, lowered, raised, rolling, wrong } from './events.ts';
import type { PoolMetrics } from './metrics.ts';
import { type Action, keptOf, type Plan } from './plan.ts';
import { type Note, severityOf } from './reasons.ts';

export interface ReportParts {
  readonly recorder: EventRecorder;
  readonly metrics: PoolMetrics;
  readonly log: Log;
}

export class Report {
  readonly #parts: ReportParts;
  /** What was wrong with each pool at the last look, by fact: it is told when it begins. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  saw(pool: PvPool, status: PvPoolStatus, notes: readonly Note[], drainedBytes: number): void {
    const { metrics, recorder, log } = this.#parts;
    const key = keyOf(pool);
    metrics.saw(key, status);
    if (drainedBytes > 0) metrics.drained(key, drainedBytes);
    const degraded = notes.filter((each) => severityOf(each) === 'degraded');
    const before = this.#told.get(key);
    this.#told.set(key, new Set(degraded.map(({ fact }) => fact)));
    for (const each of degraded) {
      if (before?.has(each.fact)) continue;
      metrics.refused(key, each.fact);
      recorder.record(wrong(pool, each));
      log.warn({ pool: key, fact: each.fact, why: each.message }, 'something is wrong with a pool');
    }
  }

  /** What was decided is written down by now. */
  kept(pool: PvPool, { kept }: Plan): void {
    const { recorder, log } = this.#parts;
    const before = keptOf(pool);
    const { operation } = kept;
    if (operation && !before.operation) {
      recorder.record(began(pool, operation.from, operation.to));
      log.info({ pool: keyOf(pool), operation }, 'a scale down begins');
    }
    if (operation?.cancelling && !before.operation?.cancelling) recorder.record(cancelled(pool));
    const desired = kept.autoscaling?.desiredPVs;
    const isNew = before.autoscaling !== undefined && desired !== before.autoscaling.desiredPVs;
    if (desired !== undefined && isNew) recorder.record(autoscaled(pool, desired));
  }

  did(pool: PvPool, action: Action): void {
    const { metrics, recorder, log } = this.#parts;
    metrics.did(keyOf(pool), action.do === 'order' ? action.order.kind : action.do);
    log.info({ pool: keyOf(pool), action: inShort(action) }, 'did something for a pool');
    if (action.do === 'drop') recorder.record(lowered(pool, action.operation.from, action.operation.to));
    if (action.do === 'scaleUp') recorder.record(raised(pool, action.from, action.to));
    if (action.do === 'writeTemplate') recorder.record(rolling(pool));
    if (action.do === 'deleteClaim') recorder.record(claimDeleted(pool, action.claim.name));
  }

  gone(key: string): void {
    this.#told.delete(key);
    this.#parts.metrics.gone(key);
  }
}

const keyOf = ({ metadata: { namespace, name } }: PvPool): string => `${namespace}/${name}`;

/** A claim is told by its name. */
function inShort(action: Action): object {
  return 'claim' in action ? { ...action, claim: action.claim.name } : action;
}
