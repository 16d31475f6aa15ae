import { Counter, register } from 'prom-client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { QueueLook } from '../queue/queue-metrics.ts';
import { Metrics } from './metrics.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABELS = String.raw`(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*`;
const SAMPLE = new RegExp(String.raw`^(${NAME})(?:\{(${LABELS})\})? ([-+]?[\d.]+(?:e[-+]?\d+)?|[-+]Inf|NaN)$`, 'i');

/** Reads the Prometheus text format (version 0.0.4), strictly: what does not belong to a declared family is an error. */
function parsePage(page: string): ReadonlyMap<string, Family> {
  expect(page.endsWith('\n')).toBe(true);
  const families = new Map<string, Family>();
  let help = '';
  let current = '';
  for (const line of page.split('\n').filter((each) => each !== '')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      help = rest;
    } else if (keyword === 'TYPE') {
      if (families.has(name)) throw new Error(`${name} is declared twice`);
      families.set(name, { type: rest, help, samples: [] });
      current = name;
    } else {
      families.get(current)?.samples.push(parseSample(line, current, families.get(current)?.type ?? ''));
    }
  }
  return families;
}

function parseSample(line: string, family: string, type: string): Sample {
  const [match, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (match === undefined) throw new Error(`not a sample: ${line}`);
  const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  if (!suffixes.some((suffix) => name === family + suffix)) throw new Error(`${name} is not of the family ${family}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])),
    value: Number(value.replace('Inf', 'Infinity')),
  };
}

const QUEUE = ['name', 'controller'];
const QUEUE_BOUNDS =
  '1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10 100 1000 +Inf'.split(' ');
const RECONCILE_BOUNDS =
  '0.005 0.01 0.025 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60 +Inf'.split(
    ' ',
  );
const REQUEST_BOUNDS = '0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60 +Inf'.split(' ');

type Row = [name: string, type: string, labels: string[], bounds?: string[]];

/** What the dashboards of client-go's and controller-runtime's users ask for: name, type, labels and, of a histogram, its buckets. */
const KNOWN = (
  [
    ['workqueue_depth', 'gauge', QUEUE],
    ['workqueue_adds_total', 'counter', QUEUE],
    ['workqueue_queue_duration_seconds', 'histogram', QUEUE, QUEUE_BOUNDS],
    ['workqueue_work_duration_seconds', 'histogram', QUEUE, QUEUE_BOUNDS],
    ['workqueue_unfinished_work_seconds', 'gauge', QUEUE],
    ['workqueue_longest_running_processor_seconds', 'gauge', QUEUE],
    ['workqueue_retries_total', 'counter', QUEUE],
    ['controller_runtime_reconcile_total', 'counter', ['controller', 'result']],
    ['controller_runtime_reconcile_errors_total', 'counter', ['controller']],
    ['controller_runtime_terminal_reconcile_errors_total', 'counter', ['controller']],
    ['controller_runtime_reconcile_panics_total', 'counter', ['controller']],
    ['controller_runtime_reconcile_time_seconds', 'histogram', ['controller'], RECONCILE_BOUNDS],
    ['controller_runtime_max_concurrent_reconciles', 'gauge', ['controller']],
    ['controller_runtime_active_workers', 'gauge', ['controller']],
    ['rest_client_requests_total', 'counter', ['code', 'method', 'host']],
    ['rest_client_request_duration_seconds', 'histogram', ['verb', 'host'], REQUEST_BOUNDS],
    ['leader_election_master_status', 'gauge', ['name']],
    ['reflector_lists_total', 'counter', ['name', 'how']],
    ['reflector_list_duration_seconds', 'histogram', ['name']],
    ['reflector_items_per_list', 'histogram', ['name']],
    ['reflector_watches_total', 'counter', ['name']],
    ['reflector_watches_ended_total', 'counter', ['name', 'reason']],
    ['reflector_watch_events_total', 'counter', ['name', 'type']],
    ['reflector_objects', 'gauge', ['name']],
    ['holdfast_reconcile_outcomes_total', 'counter', ['controller', 'outcome']],
    ['holdfast_events_written_total', 'counter', ['verb']],
    ['holdfast_events_folded_total', 'counter', []],
    ['holdfast_events_dropped_total', 'counter', ['reason']],
    ['process_cpu_seconds_total', 'counter', []],
    ['process_resident_memory_bytes', 'gauge', []],
    ['process_start_time_seconds', 'gauge', []],
    ['nodejs_eventloop_lag_p99_seconds', 'gauge', []],
    ['nodejs_gc_duration_seconds', 'histogram', ['kind']],
    ['process_open_fds', 'gauge', []],
    ['process_max_fds', 'gauge', []],
  ] as readonly Row[]
)
  .map(([name, type, labels, bounds]) => ({ name, type, labels, bounds }))
  .filter(({ name }) => process.platform === 'linux' || !name.endsWith('_fds'));

/** Says something to every family, so that each has a sample to look at. */
function busyMetrics(): Metrics {
  const metrics = new Metrics();
  const queue = metrics.queue('topology');
  queue.probe(() => ({ depth: 3, unfinishedSeconds: 4, longestRunningSeconds: 2.5 }));
  queue.added();
  queue.retried();
  queue.waited(0.02);
  queue.worked(0.3);
  const controller = metrics.controller('topology');
  controller.concurrency(4);
  controller.reconciled('success', 0.2);
  metrics.restClient('10.0.0.1:443')({ method: 'GET', path: '/api', code: '200', seconds: 0.004 });
  metrics.leader('holdfast')(true);
  const reflector = metrics.reflector('persistentvolumes');
  reflector.listed('stream', 12, 0.5);
  reflector.watchStarted();
  reflector.watchEnded('expired');
  reflector.event('ADDED');
  reflector.objects(12);
  return metrics;
}

describe('the metrics page', () => {
  let families: ReadonlyMap<string, Family>;
  const samplesOf = (name: string) => families.get(name)?.samples ?? [];

  beforeAll(async () => {
    const metrics = busyMetrics();
    metrics.countProcess();
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
    families = parsePage(await metrics.page());
  });

  it.each(KNOWN)('has $name, a $type', ({ name, type, labels, bounds }) => {
    expect(families.get(name)).toMatchObject({ type, help: expect.stringMatching(/\w/) });
    for (const sample of samplesOf(name)) {
      const own = Object.keys(sample.labels).filter((label) => label !== 'le');
      expect(own.toSorted()).toEqual(labels.toSorted());
    }
    if (name !== 'nodejs_gc_duration_seconds') expect(samplesOf(name)).not.toEqual([]);
    if (bounds) expect(samplesOf(name).flatMap((sample) => sample.labels.le ?? [])).toEqual(bounds);
  });

  it('has nothing that is not in the table, besides what prom-client tells of Node', () => {
    const known = new Set<string>(KNOWN.map(({ name }) => name));
    const others = [...families.keys()].filter((name) => !known.has(name));
    expect(others.filter((name) => !/^(nodejs|process)_/.test(name))).toEqual([]);
  });

  it('asks a queue how it is when somebody looks', async () => {
    const metrics = new Metrics();
    let look: QueueLook = { depth: 1, unfinishedSeconds: 0, longestRunningSeconds: 0 };
    metrics.queue('pool').probe(() => look);
    await metrics.page();
    look = { depth: 7, unfinishedSeconds: 5.5, longestRunningSeconds: 3 };
    const page = await metrics.page();
    expect(page).toContain('workqueue_depth{name="pool",controller="pool"} 7\n');
    expect(page).toContain('workqueue_unfinished_work_seconds{name="pool",controller="pool"} 5.5\n');
    expect(page).toContain('workqueue_longest_running_processor_seconds{name="pool",controller="pool"} 3\n');
  });

  it('counts into the right buckets, in seconds', () => {
    const buckets = samplesOf('workqueue_queue_duration_seconds').filter((sample) => sample.name.endsWith('_bucket'));
    const upTo = (le: string) => buckets.find((bucket) => bucket.labels.le === le)?.value;
    expect([upTo('0.01'), upTo('0.1'), upTo('+Inf')]).toEqual([0, 1, 1]);
  });
});

describe('a result of a reconcile', () => {
  it.each([
    ['success', 'success', 0, 0],
    ['requeue_after', 'requeue_after', 0, 0],
    ['wait', 'requeue_after', 0, 0],
    ['retry', 'error', 1, 0],
    ['stalled', 'error', 1, 1],
    ['refused', 'error', 1, 1],
  ] as const)('%s counts as %s to those who know controller-runtime', async (outcome, result, errors, terminal) => {
    const metrics = new Metrics();
    metrics.controller('sync').reconciled(outcome, 0.1);
    const page = await metrics.page();
    const results = [...page.matchAll(/^controller_runtime_reconcile_total\{controller="sync",result="(\w+)"\} 1$/gm)];
    expect(results.map(([, name]) => name)).toEqual([result]);
    expect(page).toContain(`controller_runtime_reconcile_errors_total{controller="sync"} ${errors}\n`);
    expect(page).toContain(`controller_runtime_terminal_reconcile_errors_total{controller="sync"} ${terminal}\n`);
    expect(page).toContain(`holdfast_reconcile_outcomes_total{controller="sync",outcome="${outcome}"} 1\n`);
    expect(page).toContain('controller_runtime_reconcile_time_seconds_count{controller="sync"} 1\n');
  });

  it('is there as zero before the first reconcile, so that a rate can be told from the start', async () => {
    const metrics = new Metrics();
    metrics.controller('sync');
    const page = await metrics.page();
    for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
      expect(page).toContain(`controller_runtime_reconcile_total{controller="sync",result="${result}"} 0\n`);
    }
  });
});

it('has a registry of its own, where a job may count what only it knows', async () => {
  const metrics = new Metrics();
  const wiped = new Counter({ name: 'wiped_total', help: 'Wiped devices', registers: [metrics.registry] });
  wiped.inc(2);
  expect(await metrics.page()).toContain('wiped_total 2\n');
  expect(await new Metrics().page()).not.toContain('wiped_total');
  expect(register.getMetricsAsArray()).toEqual([]);
});
