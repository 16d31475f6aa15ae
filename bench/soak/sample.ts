/** What a process says of itself on its page of metrics at one moment: what it holds, and how often it looked at something and failed. */

export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly residentMb: number;
  readonly heapMb: number;
  readonly externalMb: number;
  readonly descriptors: number;
  readonly handles: number;
  readonly sockets: number;
  readonly reconciles: number;
  readonly failures: number;
  /** A guard has kept it from something, and looks again soon: it did what it is there for. */
  readonly refusals: number;
}

const MB = 1e6;
const METRIC = /^(?<name>[a-zA-Z_:]+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/gm;

export function sampleOf(page: string, at: number): Sample {
  const metrics = [...page.matchAll(METRIC)].map(({ groups }) => ({
    name: groups?.name,
    labels: groups?.labels ?? '',
    value: Number(groups?.value),
  }));
  const sum = (name: string, labels = /.*/) =>
    metrics
      .filter((metric) => metric.name === name && labels.test(metric.labels))
      .reduce((all, { value }) => all + value, 0);
  const refusals = sum('holdfast_reconcile_outcomes_total', /="refused"/);
  return {
    at,
    residentMb: sum('process_resident_memory_bytes') / MB,
    heapMb: sum('nodejs_heap_size_used_bytes') / MB,
    externalMb: sum('nodejs_external_memory_bytes') / MB,
    descriptors: sum('process_open_fds'),
    handles: sum('nodejs_active_handles_total'),
    sockets: sum('nodejs_active_resources', /type="(?:TCPSocketWrap|TLSWrap)"/),
    reconciles: sum('controller_runtime_reconcile_total'),
    failures: sum('controller_runtime_reconcile_total', /result="error"/) - refusals,
    refusals,
  };
}
