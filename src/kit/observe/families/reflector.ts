/** The reflectors' metrics, under the names that client-go gave them where it has one. */
import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from 'prom-client';
import type { ReflectorMetrics } from '../../cache/reflector-metrics.ts';

/** From ten milliseconds to five minutes and a half. */
const LIST_SECONDS = exponentialBuckets(0.01, 2, 16);
const ITEMS = [0, 1, 10, 100, 1_000, 10_000, 100_000];

/** `name` is that of the resource, such as `persistentvolumes`. */
export function reflectorFamily(registry: Registry): (name: string) => ReflectorMetrics {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labels: L[]) =>
    new Counter<'name' | L>({ name, help, labelNames: ['name', ...labels], registers });
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, labelNames: ['name'], buckets, registers });

  const lists = counter('reflector_lists_total', 'Lists of a whole collection, by how they were read', 'how');
  const duration = histogram('reflector_list_duration_seconds', 'How long a whole list takes', LIST_SECONDS);
  const items = histogram('reflector_items_per_list', 'How many objects a list holds', ITEMS);
  const watches = counter('reflector_watches_total', 'Watches that were started');
  const ends = counter('reflector_watches_ended_total', 'Watches that ended, by why they did', 'reason');
  const events = counter('reflector_watch_events_total', 'Events that watches delivered, by their type', 'type');
  const objects = new Gauge({
    name: 'reflector_objects',
    help: 'Objects in the cache',
    labelNames: ['name'],
    registers,
  });

  return (name) => ({
    listed(how, count, seconds) {
      lists.inc({ name, how });
      duration.observe({ name }, seconds);
      items.observe({ name }, count);
    },
    watchStarted: () => watches.inc({ name }),
    watchEnded: (reason) => ends.inc({ name, reason }),
    event: (type) => events.inc({ name, type }),
    objects: (count) => objects.set({ name }, count),
  });
}
