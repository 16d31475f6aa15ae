import { describe, expect, test } from 'vitest';
import { Store } from '../cache/store.ts';
import { VirtualClock } from '../clock/virtual.ts';
import { ApiError } from '../kube/api-error.ts';
import type { KubeObject } from '../kube/resource.ts';
import { NotLeading } from '../lead/lease-gate.ts';
import { RecordingLog } from '../observe/recording-log.ts';
import { Controller, type ControllerSettings } from './controller.ts';
import type { ReconcileResult } from './controller-metrics.ts';
import { after, done, Refuse, Retry, Stalled, Wait } from './outcome.ts';
import { each, every, mapped, type Source } from './sources.ts';

function running(settings: Partial<ControllerSettings> & Pick<ControllerSettings, 'reconcile'>) {
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const results: ReconcileResult[] = [];
  const counts = { panics: 0, mostActive: 0 };
  const controller = new Controller(
    { name: 'test', sources: [], ...settings },
    {
      clock,
      log,
      random: () => 1,
      metrics: {
        concurrency() {},
        active: (workers) => {
          counts.mostActive = Math.max(counts.mostActive, workers);
        },
        reconciled: (result) => results.push(result),
        panicked: () => {
          counts.panics += 1;
        },
      },
    },
  );
  const stop = new AbortController();
  const ended = controller.run(stop.signal);
  return { clock, log, controller, results, counts, stop, ended };
}

/** Fails in the same way every time, and notes when. */
function failing(error: () => Error) {
  const times: number[] = [];
  const world = running({
    reconcile: async (_key, { clock }) => {
      times.push(clock.monotonic());
      throw error();
    },
  });
  world.controller.queue.add('a');
  return { ...world, times };
}

describe('an outcome', () => {
  test('that is done brings the key back with the next event only', async () => {
    const { clock, controller, results } = running({ reconcile: async () => done });
    controller.queue.add('a');
    await clock.advance(3_600_000);
    expect(results).toEqual(['success']);
  });

  test('that asks for a later look gets it', async () => {
    const { clock, controller, results } = running({ reconcile: async () => after(60_000) });
    controller.queue.add('a');
    await clock.advance(120_000);
    expect(results).toEqual(['requeue_after', 'requeue_after', 'requeue_after']);
  });
});

test('a later look at a time that is not a number is a defect, not a loop without pause', () => {
  expect(() => after(Number.NaN)).toThrow('not a number');
});

describe('an error', () => {
  test('to retry comes again after longer and longer pauses', async () => {
    const { clock, times, results } = failing(() => new Retry('not yet'));
    await clock.advance(3_000);
    expect(times).toEqual([0, 200, 600, 1_400, 3_000]);
    expect(new Set(results)).toEqual(new Set(['retry']));
  });

  test('of the API is an ordinary failure, not a defect', async () => {
    const conflict = { request: 'PATCH /x', status: 409, reason: 'Conflict' as const, detail: 'changed meanwhile' };
    const { clock, counts, log } = failing(() => new ApiError(conflict));
    await clock.advance(0);
    expect(counts.panics).toBe(0);
    expect(log.lines.map(({ level }) => level)).toEqual(['info']);
  });

  test('of a server that asks for a pause comes again after it', async () => {
    const busy = { request: 'PATCH /x', status: 429, reason: 'TooManyRequests' as const, detail: 'busy' };
    const { clock, times } = failing(() => new ApiError({ ...busy, retryAfterMs: 45_000 }));
    await clock.advance(90_000);
    expect(times).toEqual([0, 45_000, 90_000]);
  });

  test('to wait comes again with its event, and once in a while in case that is lost', async () => {
    const { clock, times, results } = failing(() => new Wait('the claim is not bound', 60_000));
    await clock.advance(120_000);
    expect(times).toEqual([0, 60_000, 120_000]);
    expect(results[0]).toBe('wait');
  });

  test('that stalls never comes again by itself', async () => {
    const { clock, times, results } = failing(() => new Stalled('the size is negative'));
    await clock.advance(86_400_000);
    expect([times, results]).toEqual([[0], ['stalled']]);
  });

  test('that refuses names the fact and the remedy, and looks again later', async () => {
    const refusal = { fact: 'deviceIsMounted', message: 'sdb is mounted at /data', remedy: 'Unmount it.' };
    const { clock, times, results, log } = failing(() => new Refuse(refusal));
    await clock.advance(300_000);
    expect(times).toEqual([0, 300_000]);
    expect(results[0]).toBe('refused');
    expect(log.lines[0]).toMatchObject({
      level: 'warn',
      fields: { fact: 'deviceIsMounted', why: 'sdb is mounted at /data (deviceIsMounted). Unmount it.' },
    });
  });

  test('that nobody expected is counted as a defect, retried, and stops neither the others nor the process', async () => {
    const seen: string[] = [];
    const { clock, controller, counts, log } = running({
      concurrency: 1,
      reconcile: async (key) => {
        seen.push(key);
        if (key === 'bad') throw new TypeError('x is not a function');
        return done;
      },
    });
    controller.queue.add('bad');
    controller.queue.add('good');
    await clock.advance(250);
    expect(seen).toEqual(['bad', 'good', 'bad']);
    expect(counts.panics).toBe(2);
    expect(log.lines[0]?.level).toBe('error');
  });

  test('thrown before the first await is no different', async () => {
    const { clock, controller, counts } = running({
      reconcile: () => {
        throw new TypeError('at once');
      },
    });
    controller.queue.add('a');
    await clock.advance(0);
    expect(counts.panics).toBe(1);
  });
});

test('a reconcile that takes too long is told so by its signal, and tried again', async () => {
  const reasons: unknown[] = [];
  const { clock, controller, results } = running({
    deadlineMs: 5_000,
    reconcile: (_key, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      }),
  });
  controller.queue.add('a');
  await clock.advance(5_000);
  expect(results).toEqual(['retry']);
  expect(String(reasons[0])).toContain('longer than 5 s');
});

test('a reconcile that ignores its deadline keeps its key to itself and nobody else from work', async () => {
  const seen: string[] = [];
  const { clock, controller } = running({
    concurrency: 2,
    deadlineMs: 1_000,
    reconcile: (key) => {
      seen.push(key);
      return key === 'hung' ? new Promise(() => undefined) : Promise.resolve(done);
    },
  });
  controller.queue.add('hung');
  await clock.advance(60_000);
  controller.queue.add('hung');
  controller.queue.add('other');
  await clock.advance(60_000);
  expect(seen).toEqual(['hung', 'other']);
});

test('when every worker has a reconcile that ignores its deadline, the controller says that it is stuck, and not before', async () => {
  let finish = () => {};
  const { clock, controller } = running({
    concurrency: 2,
    deadlineMs: 1_000,
    reconcile: () =>
      new Promise((resolve) => {
        finish = () => resolve(done);
      }),
  });
  controller.queue.add('first');
  await clock.advance(5_000);
  controller.queue.add('second');
  await clock.advance(999);
  expect(controller.stuck()).toEqual([]);
  await clock.advance(1);
  expect(controller.stuck()).toEqual(['all workers of test are with keys that take longer than 1 s']);
  finish();
  await clock.advance(0);
  expect(controller.stuck()).toEqual([]);
});

test('many keys that wait for nothing let the rest of the process run in between', async () => {
  const turns: number[] = [];
  const { controller, results } = running({ reconcile: async () => done });
  for (let i = 0; i < 1_000; i++) controller.queue.add(`${i}`);
  while (results.length < 1_000) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(results.length);
  }
  expect(turns.length).toBeGreaterThan(20);
});

test('no more keys are worked on at the same time than allowed', async () => {
  const { clock, controller, counts, results } = running({
    concurrency: 3,
    reconcile: (_key, context) => new Promise((resolve) => context.clock.after(10, () => resolve(done))),
  });
  for (let i = 0; i < 20; i++) controller.queue.add(`${i}`);
  await clock.advance(1_000);
  expect([counts.mostActive, results.length]).toEqual([3, 20]);
});

test('after the stop no key is begun, and what was begun is waited for', async () => {
  const begun: string[] = [];
  let finish = () => {};
  let left = false;
  const source: Source = () => () => {
    left = true;
  };
  const { clock, controller, stop, ended } = running({
    concurrency: 1,
    sources: [source],
    reconcile: (key) => {
      begun.push(key);
      return new Promise((resolve) => {
        finish = () => resolve(done);
      });
    },
  });
  controller.queue.add('a');
  controller.queue.add('b');
  await clock.advance(0);
  stop.abort();
  let over = false;
  void ended.then(() => {
    over = true;
  });
  await clock.advance(1_000);
  expect([over, left]).toEqual([false, true]);
  finish();
  await ended;
  expect([begun, clock.pending]).toEqual([['a'], 0]);
});

test('after the stop the signal of what was begun stays quiet, so that it can be finished', async () => {
  const aborted: boolean[] = [];
  const { clock, controller, stop, ended } = running({
    reconcile: (_key, { signal }) =>
      new Promise((resolve) =>
        clock.after(1_000, () => {
          aborted.push(signal.aborted);
          resolve(done);
        }),
      ),
  });
  controller.queue.add('a');
  await clock.advance(0);
  stop.abort();
  await clock.advance(1_000);
  await ended;
  expect(aborted).toEqual([false]);
});

test('after the stop what was begun is given up when it takes too long, and leaves no timer', async () => {
  const { clock, controller, stop, ended } = running({
    reconcile: (_key, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  controller.queue.add('a');
  await clock.advance(0);
  stop.abort();
  await clock.advance(15_000);
  await ended;
  expect(clock.pending).toBe(0);
});

test('when the lease is lost, what was begun is told at once', async () => {
  const reasons: unknown[] = [];
  const { clock, controller, stop, ended, counts } = running({
    reconcile: (_key, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      }),
  });
  controller.queue.add('a');
  await clock.advance(0);
  stop.abort(new NotLeading());
  await ended;
  expect(reasons).toEqual([expect.any(NotLeading)]);
  expect(counts.panics).toBe(0);
});

describe('sources', () => {
  const pod = (name: string, claims: readonly string[]) => ({ metadata: { name, uid: name }, claims });
  type Pod = KubeObject & { readonly claims: readonly string[] };

  function fed(source: (store: Store<Pod, Pod>) => Source) {
    const store = new Store<Pod, Pod>((object) => object, { synced: true, available: true, staleMs: 0 });
    store.put(pod('first', ['x']));
    const keys: string[] = [];
    const leave = source(store)((key) => keys.push(key));
    return { store, keys, leave };
  }

  test('each: an object names itself, those that are there already included', () => {
    const { store, keys, leave } = fed((view) => each(view));
    store.put(pod('second', []));
    store.remove('first');
    leave();
    store.put(pod('third', []));
    expect(keys).toEqual(['first', 'second', 'first']);
  });

  test('mapped: an object names those that it points at, and those that it pointed at before', () => {
    const { store, keys } = fed((view) =>
      mapped(
        view,
        ({ claims }) => claims,
        (error) => expect.fail(String(error)),
      ),
    );
    store.put(pod('first', ['y']));
    store.remove('first');
    expect(keys).toEqual(['x', 'x', 'y', 'y']);
  });

  test('mapped: an object that cannot be read is reported and harms no other', () => {
    const errors: unknown[] = [];
    const toKeys = ({ claims }: Pod) => claims.map((claim) => claim.toUpperCase());
    const { store, keys } = fed((view) => mapped(view, toKeys, (error) => errors.push(error)));
    store.put({ ...pod('odd', []), claims: [1] as never });
    store.put(pod('even', ['y']));
    expect([errors.length, keys]).toEqual([1, ['X', 'Y']]);
  });

  test('every: all keys again each period, until it is stopped', async () => {
    const clock = new VirtualClock();
    const keys: string[] = [];
    const leave = every(1_000, clock, () => ['a', 'b'])((key) => keys.push(key));
    await clock.advance(2_500);
    leave();
    await clock.advance(5_000);
    expect(keys).toEqual(['a', 'b', 'a', 'b']);
  });

  test('every: many keys come a few at a time, and all of them long before the next period', async () => {
    const clock = new VirtualClock();
    const named = new Set<string>();
    const all = Array.from({ length: 1_000 }, (_, number) => `key-${number}`);
    const leave = every(60_000, clock, () => all)((key) => named.add(key));
    await clock.advance(60_000);
    expect(named.size).toBe(32);
    await clock.advance(3_000);
    expect(named.size).toBeGreaterThan(400);
    expect(named.size).toBeLessThan(600);
    await clock.advance(3_000);
    expect(named.size).toBe(1_000);
    await clock.advance(54_000);
    leave();
    named.clear();
    await clock.advance(120_000);
    expect(named.size).toBe(0);
  });
});
