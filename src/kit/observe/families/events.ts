/** The metrics of Events: our own, since client-go counts none. */
import { Counter, type Registry } from 'prom-client';
import { DROP_REASONS, type EventMetrics } from '../event-metrics.ts';

export function eventFamily(registry: Registry): EventMetrics {
  const registers = [registry];
  const written = new Counter({
    name: 'holdfast_events_written_total',
    help: 'Events that the API server took, by whether they were new or the count of an earlier one',
    labelNames: ['verb'],
    registers,
  });
  const folded = new Counter({
    name: 'holdfast_events_folded_total',
    help: 'Repetitions that were counted in an earlier Event',
    registers,
  });
  const dropped = new Counter({
    name: 'holdfast_events_dropped_total',
    help: 'Events that nobody will read, by why',
    labelNames: ['reason'],
    registers,
  });
  for (const verb of ['create', 'patch']) written.inc({ verb }, 0);
  for (const reason of DROP_REASONS) dropped.inc({ reason }, 0);
  return {
    written: (verb) => written.inc({ verb }),
    folded: () => folded.inc(),
    dropped: (reason) => dropped.inc({ reason }),
  };
}
