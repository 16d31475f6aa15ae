/** The work queues' metrics, under the names, labels and buckets of client-go and controller-runtime. */
import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from 'prom-client';
import type { QueueLook, QueueMetrics } from '../../queue/queue-metrics.ts';

const LABELS = ['name', 'controller'] as const;
/** From ten nanoseconds to a thousand seconds. */
const BUCKETS = exponentialBuckets(10e-9, 10, 12);

/** The queue of a controller has the controller's name, so both labels say the same. */
export function queueFamily(registry: Registry): (name: string) => QueueMetrics {
  const registers = [registry];
  const looks = new Map<string, () => QueueLook>();
  const gauge = (name: string, help: string, read: (look: QueueLook) => number) =>
    new Gauge({
      name,
      help,
      labelNames: LABELS,
      registers,
      collect() {
        for (const [queue, look] of looks) this.set({ name: queue, controller: queue }, read(look()));
      },
    });
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames: LABELS, registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: LABELS, registers, buckets: BUCKETS });

  gauge('workqueue_depth', 'Current depth of workqueue', (look) => look.depth);
  const adds = counter('workqueue_adds_total', 'Total number of adds handled by workqueue');
  const waits = histogram(
    'workqueue_queue_duration_seconds',
    'How long in seconds an item stays in workqueue before being requested',
  );
  const works = histogram(
    'workqueue_work_duration_seconds',
    'How long in seconds processing an item from workqueue takes.',
  );
  gauge(
    'workqueue_unfinished_work_seconds',
    'How many seconds of work has been done that is in progress and has not been observed by work_duration.',
    (look) => look.unfinishedSeconds,
  );
  gauge(
    'workqueue_longest_running_processor_seconds',
    'How many seconds has the longest running processor for workqueue been running.',
    (look) => look.longestRunningSeconds,
  );
  const retries = counter('workqueue_retries_total', 'Total number of items added again with a delay');

  return (name) => {
    const labels = { name, controller: name };
    adds.inc(labels, 0);
    retries.inc(labels, 0);
    waits.zero(labels);
    works.zero(labels);
    return {
      added: () => adds.inc(labels),
      retried: () => retries.inc(labels),
      waited: (seconds) => waits.observe(labels, seconds),
      worked: (seconds) => works.observe(labels, seconds),
      probe: (look) => looks.set(name, look),
    };
  };
}
