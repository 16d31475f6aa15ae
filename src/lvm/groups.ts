/** What looks at the node have shown of its volume groups: for the report, for the gauges, and for warnings on the Node. */
import { semanticallyEqual } from '../kit/equality.ts';
import type { EventRecorder } from '../kit/observe/events.ts';
import type { ThinLimits } from './contract.ts';
import { type About, poolIsFilling } from './events.ts';
import type { Lvm } from './facts.ts';
import type { LvmMetrics } from './metrics.ts';
import { type ReportedGroup, reportedGroups } from './node-report.ts';
import { PoolLevels } from './pool-levels.ts';

export interface GroupsParts {
  readonly metrics: Pick<LvmMetrics, 'saw'>;
  readonly recorder: EventRecorder;
  readonly limits: ThinLimits;
  /** Nothing as long as it is not known. */
  readonly node: () => About | undefined;
}

export class Groups {
  readonly #parts: GroupsParts;
  readonly #levels: PoolLevels;
  readonly #listeners = new Set<() => void>();
  #groups: readonly ReportedGroup[] = [];
  #unseen: readonly string[] = [];

  constructor(parts: GroupsParts) {
    this.#parts = parts;
    this.#levels = new PoolLevels(parts.limits);
  }

  saw(lvm: Lvm): void {
    this.#parts.metrics.saw(lvm);
    this.#become(reportedGroups(lvm), []);
    this.#warn();
  }

  /** What was seen before stays shown. */
  couldNotLook(why: string): void {
    this.#become(this.#groups, [why]);
  }

  values(): readonly ReportedGroup[] {
    return this.#groups;
  }

  get unseen(): readonly string[] {
    return this.#unseen;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #become(groups: readonly ReportedGroup[], unseen: readonly string[]): void {
    const isNew = !semanticallyEqual([groups, unseen], [this.#groups, this.#unseen]);
    this.#groups = groups;
    this.#unseen = unseen;
    if (isNew) for (const listener of this.#listeners) listener();
  }

  #warn(): void {
    const node = this.#parts.node();
    if (!node) return;
    for (const warning of this.#levels.rise(this.#groups)) this.#parts.recorder.record(poolIsFilling(node, warning));
  }
}
