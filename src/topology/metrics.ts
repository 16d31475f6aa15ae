/** What is counted: volumes with and without labels, writes, conflicts, and how long a pod was ready before its volume was labelled. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Standing, Standings } from './standings.ts';

export type WriteResult = 'written' | 'conflict' | 'gone' | 'failed';
const WRITE_RESULTS: readonly WriteResult[] = ['written', 'conflict', 'gone', 'failed'];

const BUCKETS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 1800];

export interface TopologyMetrics {
  wrote(result: WriteResult): void;
  conflict(outcome: 'replaced' | 'kept'): void;
  labelledAfter(seconds: number): void;
}

export function topologyMetrics(registry: Registry, standings: Standings): TopologyMetrics {
  const registers = [registry];
  countVolumes(registry, standings);
  const writes = new Counter({
    name: 'holdfast_topology_writes_total',
    help: 'Patches of volumes that were sent, by what came of them.',
    labelNames: ['result'],
    registers,
  });
  const conflicts = new Counter({
    name: 'holdfast_topology_conflicts_total',
    help: 'Labels that somebody else had given another value, by whether that was replaced or kept.',
    labelNames: ['outcome'],
    registers,
  });
  const delay = new Histogram({
    name: 'holdfast_topology_ready_to_label_seconds',
    help: 'From when the pod was ready, which the API tells to the second, until its volume was labelled for the first time.',
    buckets: BUCKETS,
    registers,
  });
  for (const result of WRITE_RESULTS) writes.inc({ result }, 0);
  for (const outcome of ['replaced', 'kept']) conflicts.inc({ outcome }, 0);
  return {
    wrote: (result) => writes.inc({ result }),
    conflict: (outcome) => conflicts.inc({ outcome }),
    labelledAfter: (seconds) => delay.observe(seconds),
  };
}

/** Counted when somebody asks. */
function countVolumes(registry: Registry, standings: Standings): void {
  const registers = [registry];
  new Gauge({
    name: 'holdfast_topology_volumes_labelled',
    help: 'Volumes that carry a zone or a region.',
    registers,
    collect() {
      this.set([...standings.values()].filter(({ isLabelled }) => isLabelled).length);
    },
  });
  /** A series that was there stays, at 0: one that vanishes keeps its last value on dashboards for a while. */
  const seen = new Set<Standing['because']>();
  new Gauge({
    name: 'holdfast_topology_volumes_unlabelled',
    help: 'Volumes that carry neither a zone nor a region, by the reason for it.',
    labelNames: ['reason'],
    registers,
    collect() {
      for (const reason of seen) this.set({ reason }, 0);
      for (const { isLabelled, because } of standings.values()) {
        if (isLabelled) continue;
        this.inc({ reason: because });
        seen.add(because);
      }
    },
  });
}
