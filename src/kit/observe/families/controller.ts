/** The controllers' metrics, under the names, labels and buckets of controller-runtime. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ControllerMetrics, ReconcileResult } from '../../controller/controller-metrics.ts';

interface Meaning {
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  /** Counted among the errors, too; a terminal one is not tried again until something changes. */
  readonly error?: 'passing' | 'terminal';
}

/** What our results are called by those who know controller-runtime. What it cannot tell apart is in `holdfast_reconcile_outcomes_total`. */
const MEANINGS: Readonly<Record<ReconcileResult, Meaning>> = {
  success: { result: 'success' },
  requeue_after: { result: 'requeue_after' },
  wait: { result: 'requeue_after' },
  retry: { result: 'error', error: 'passing' },
  stalled: { result: 'error', error: 'terminal' },
  refused: { result: 'error', error: 'terminal' },
};

const RESULTS: readonly Meaning['result'][] = ['success', 'error', 'requeue', 'requeue_after'];
const OUTCOMES = Object.keys(MEANINGS) as ReconcileResult[];

const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export function controllerFamily(registry: Registry): (name: string) => ControllerMetrics {
  const registers = [registry];
  const of = (name: string, help: string) => ({ name, help, registers, labelNames: ['controller'] as const });
  const total = new Counter({
    ...of('controller_runtime_reconcile_total', 'Total number of reconciliations per controller'),
    labelNames: ['controller', 'result'],
  });
  const errors = new Counter(
    of('controller_runtime_reconcile_errors_total', 'Total number of reconciliation errors per controller'),
  );
  const terminal = new Counter(
    of(
      'controller_runtime_terminal_reconcile_errors_total',
      'Total number of terminal reconciliation errors per controller',
    ),
  );
  const panics = new Counter(
    of('controller_runtime_reconcile_panics_total', 'Total number of reconciliation panics per controller'),
  );
  const time = new Histogram({
    ...of('controller_runtime_reconcile_time_seconds', 'Length of time per reconciliation per controller'),
    buckets: BUCKETS,
  });
  const most = new Gauge(
    of('controller_runtime_max_concurrent_reconciles', 'Maximum number of concurrent reconciles per controller'),
  );
  const active = new Gauge(of('controller_runtime_active_workers', 'Number of currently used workers per controller'));
  const outcomes = new Counter({
    ...of('holdfast_reconcile_outcomes_total', 'Reconciliations by how they ended, in our own words'),
    labelNames: ['controller', 'outcome'],
  });

  return (controller) => {
    const labels = { controller };
    for (const result of RESULTS) total.inc({ controller, result }, 0);
    for (const outcome of OUTCOMES) outcomes.inc({ controller, outcome }, 0);
    for (const counter of [errors, terminal, panics]) counter.inc(labels, 0);
    time.zero(labels);
    active.set(labels, 0);
    return {
      concurrency: (workers) => most.set(labels, workers),
      active: (workers) => active.set(labels, workers),
      reconciled(outcome, seconds) {
        const { result, error } = MEANINGS[outcome];
        total.inc({ controller, result });
        outcomes.inc({ controller, outcome });
        time.observe(labels, seconds);
        if (error) errors.inc(labels);
        if (error === 'terminal') terminal.inc(labels);
      },
      panicked: () => panics.inc(labels),
    };
  };
}
