/**
 * What the process counts, and the page that Prometheus reads it from. One registry for each process, never prom-client's global one,
 * so that a test or a second manager starts from nothing. Import it lazily: prom-client is not needed where nothing runs.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ReflectorMetrics } from '../cache/reflector-metrics.ts';
import type { ControllerMetrics } from '../controller/controller-metrics.ts';
import type { CallRecord } from '../kube/caller.ts';
import type { QueueMetrics } from '../queue/queue-metrics.ts';
import type { EventMetrics } from './event-metrics.ts';
import { controllerFamily } from './families/controller.ts';
import { eventFamily } from './families/events.ts';
import { type LeaderMetric, leaderFamily } from './families/leader.ts';
import { queueFamily } from './families/queue.ts';
import { reflectorFamily } from './families/reflector.ts';
import { restClientFamily } from './families/rest-client.ts';
import { goFloat } from './go-float.ts';

export class Metrics {
  /** Where a job registers metrics of its own. */
  readonly registry = new Registry();
  readonly queue: (name: string) => QueueMetrics = queueFamily(this.registry);
  readonly controller: (name: string) => ControllerMetrics = controllerFamily(this.registry);
  readonly reflector: (resource: string) => ReflectorMetrics = reflectorFamily(this.registry);
  readonly restClient: (host: string) => (call: CallRecord) => void = restClientFamily(this.registry);
  readonly leader: (lease: string) => LeaderMetric = leaderFamily(this.registry);
  readonly events: EventMetrics = eventFamily(this.registry);

  /** CPU, memory, open files, event-loop lag and garbage collection. To be called once: its observers last as long as the process. */
  countProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  async page(): Promise<string> {
    return inGoForm(await this.registry.metrics());
  }
}

/** Dashboards, and sums over programs in several languages, go by the text of a bucket's bound: it must be the one that Go writes. */
const inGoForm = (page: string): string => page.replace(/(?<=[{,]le=")[^"+]+(?=")/g, (bound) => goFloat(Number(bound)));
