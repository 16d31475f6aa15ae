import { expect, test } from 'vitest';
import { meetsTarget } from '../measure/row.ts';
import { AFTERWARDS, failuresOutside, linesOutside } from './budget.ts';
import { growth, quantile } from './growth.ts';
import { type Sample, sampleOf } from './sample.ts';
import { looksOf } from './soak.ts';
import { Watched } from './watched.ts';

const sample = (at: number, more: Partial<Sample> = {}): Sample => ({
  at,
  residentMb: 100,
  heapMb: 30,
  externalMb: 5,
  descriptors: 20,
  handles: 10,
  sockets: 4,
  reconciles: 0,
  failures: 0,
  refusals: 0,
  ...more,
});

const hour = (of: (at: number) => Partial<Sample>) =>
  Array.from({ length: 100 }, (_, index) => sample(index * 36, of(index * 36)));
const missed = (samples: readonly Sample[]) =>
  growth('it', samples)
    .filter((row) => meetsTarget(row) === false)
    .map(({ figure }) => figure.split(',')[0]);

test('a page of metrics is read, with the sum over labels', () => {
  const page = `# HELP process_open_fds Number of open file descriptors.
process_open_fds 24
process_resident_memory_bytes 61500000
nodejs_heap_size_used_bytes 7800000
nodejs_external_memory_bytes 2800000
nodejs_active_handles_total 9
nodejs_active_resources{type="TCPSocketWrap"} 3
nodejs_active_resources{type="Timeout"} 8
controller_runtime_reconcile_total{controller="pool",result="success"} 40
controller_runtime_reconcile_total{controller="sync",result="error"} 2
controller_runtime_reconcile_total{controller="devices",result="error"} 5
holdfast_reconcile_outcomes_total{controller="devices",outcome="refused"} 4
holdfast_reconcile_outcomes_total{controller="devices",outcome="retry"} 1
`;
  expect(sampleOf(page, 7)).toEqual({
    at: 7,
    residentMb: 61.5,
    heapMb: 7.8,
    externalMb: 2.8,
    descriptors: 24,
    handles: 9,
    sockets: 3,
    reconciles: 47,
    failures: 3,
    refusals: 4,
  });
});

test('what stays, and what goes up and down, does not grow', () => {
  expect(missed(hour(() => ({})))).toEqual([]);
  expect(missed(hour((at) => ({ heapMb: 30 + (at % 300) / 10, residentMb: at % 72 === 0 ? 110 : 100 })))).toEqual([]);
});

test('what a program takes while it warms up is not growth', () => {
  expect(missed(hour((at) => ({ residentMb: at < 500 ? 40 : 100 })))).toEqual([]);
});

test('a leak is growth, in memory as in handles', () => {
  expect(missed(hour((at) => ({ heapMb: 30 + at / 100 })))).toEqual(['heap in use']);
  expect(missed(hour((at) => ({ descriptors: 20 + Math.floor(at / 120), sockets: 4 + Math.floor(at / 120) })))).toEqual(
    ['file descriptors', 'sockets'],
  );
});

test('the garbage that is there at the moment does not hide what is held', () => {
  expect(quantile([60, 30, 45, 31, 59, 50, 48, 47, 46, 58], 0.1)).toBe(31);
});

const restart = { what: 'restart', from: 100, to: 110 };

test('failures count unless something was taken away just then', () => {
  const samples = [
    sample(0),
    sample(50, { reconciles: 10, failures: 1 }),
    sample(105, { reconciles: 30, failures: 9 }),
    sample(150, { reconciles: 50, failures: 20 }),
    sample(400, { reconciles: 60, failures: 20 }),
    sample(450, { reconciles: 70, failures: 22 }),
  ];
  expect(failuresOutside(samples, [restart])).toEqual({ reconciles: 20, failures: 3, refusals: 0 });
  expect(failuresOutside(samples, [])).toEqual({ reconciles: 70, failures: 22, refusals: 0 });
});

test('so do lines in a log', () => {
  const line = (at: number, level = 'error') => ({ at, level, text: '' });
  const lines = [line(99), line(101), line(110 + AFTERWARDS), line(200), line(300, 'info')];
  expect(linesOutside(lines, 'error', [restart])).toEqual([line(99), line(200)]);
});

test('who has looked at nothing has shown nothing, and a refusal is no failure', () => {
  const missedOf = (samples: readonly Sample[]) =>
    looksOf('it', samples, [])
      .filter((row) => meetsTarget(row) === false)
      .map(({ figure }) => figure);
  expect(missedOf([sample(0), sample(5)])).toEqual(['looks at something, outside of disruptions']);
  expect(missedOf([sample(0), sample(5, { reconciles: 69, refusals: 10 })])).toEqual([]);
  expect(missedOf([sample(0), sample(5, { reconciles: 69, failures: 10 })])).toEqual(['of these, failed']);
});

const process = { name: 'it', page: async () => '', log: async () => [], hasControllers: false };

test('who is started again is told by how often, and who is not by that it has ended', async () => {
  expect(await new Watched({ ...process, ended: async () => 3 }, 0).endings()).toBe(3);
  const dead = new Watched({ ...process, ended: Promise.resolve() }, 0);
  await Promise.resolve();
  expect(await dead.endings()).toBe(1);
  expect(await new Watched({ ...process, ended: new Promise(() => {}) }, 0).endings()).toBe(0);
});
