/** What a controller tells those who count. Implemented by `observe`, under the names that dashboards know. */
export interface ControllerMetrics {
  concurrency(workers: number): void;
  active(workers: number): void;
  reconciled(result: ReconcileResult, seconds: number): void;
  /** It threw something that is none of our four errors: a defect. */
  panicked(): void;
}

export type ReconcileResult = 'success' | 'requeue_after' | 'retry' | 'wait' | 'stalled' | 'refused';

export const uncounted: ControllerMetrics = { concurrency() {}, active() {}, reconciled() {}, panicked() {} };
