import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { WorkQueue } from './queue.ts';
import { type QueueLook, type QueueMetrics, uncounted } from './queue-metrics.ts';

function aQueue(metrics: QueueMetrics = uncounted) {
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, random: () => 1, backoff: { baseMs: 100, maxMs: 1_000 }, metrics });
  const taken: string[] = [];
  const worker = async () => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      taken.push(key);
      queue.done(key);
    }
  };
  return { clock, queue, taken, worker };
}

test('a key that is added many times before a worker comes is worked on once', async () => {
  const { queue } = aQueue();
  for (let i = 0; i < 5; i++) queue.add('a');
  queue.add('b');
  expect([await queue.take(), await queue.take(), queue.size]).toEqual(['a', 'b', 0]);
});

test('a key that is added while it is worked on comes once more, and not before it is given back', async () => {
  const { queue } = aQueue();
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.add('a');
  expect(queue.size).toBe(0);
  queue.done('a');
  expect([await queue.take(), queue.size]).toEqual(['a', 0]);
});

test('a busy key goes to the end of the line: the others are not starved', async () => {
  const { queue } = aQueue();
  queue.add('busy');
  await queue.take();
  queue.add('other');
  queue.add('busy');
  queue.done('busy');
  expect([await queue.take(), await queue.take()]).toEqual(['other', 'busy']);
});

describe('a delay', () => {
  test('is kept', async () => {
    const { queue, clock, worker, taken } = aQueue();
    void worker();
    queue.addAfter('a', 1_000);
    await clock.advance(999);
    expect(taken).toEqual([]);
    await clock.advance(1);
    expect(taken).toEqual(['a']);
  });

  test('of several is the earliest, whatever their order', async () => {
    for (const delays of [
      [500, 1_000],
      [1_000, 500],
    ]) {
      const { queue, clock, worker, taken } = aQueue();
      void worker();
      for (const ms of delays) queue.addAfter('a', ms);
      await clock.advance(500);
      expect(taken).toEqual(['a']);
      await clock.advance(5_000);
      expect(taken).toEqual(['a']);
    }
  });

  test('is over when the key is added plainly', async () => {
    const { queue, clock, worker, taken } = aQueue();
    void worker();
    queue.addAfter('a', 1_000);
    queue.add('a');
    await clock.advance(5_000);
    expect(taken).toEqual(['a']);
    expect(queue.delayed).toBe(0);
  });
});

test('failures in a row wait longer and longer up to a limit, and success forgets them', async () => {
  const { queue, clock } = aQueue();
  const waits: number[] = [];
  for (let i = 0; i < 6; i++) {
    queue.addAfterFailure('a');
    const from = clock.monotonic();
    while (queue.size === 0) await clock.advance(50);
    waits.push(clock.monotonic() - from);
    await queue.take();
    queue.done('a');
  }
  expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  queue.forget('a');
  expect(queue.failuresOf('a')).toBe(0);
});

test('a pause that somebody asked for is kept after a failure, unless it is longer than the longest', async () => {
  const { queue, clock, worker, taken } = aQueue();
  void worker();
  queue.addAfterFailure('asked', 700);
  queue.addAfterFailure('forever', 86_400_000);
  await clock.advance(699);
  expect(taken).toEqual([]);
  await clock.advance(1);
  expect(taken).toEqual(['asked']);
  await clock.advance(300);
  expect(taken).toEqual(['asked', 'forever']);
});

test('a closed queue hands out nothing, wakes idle workers and leaves no timer', async () => {
  const { queue, clock, worker } = aQueue();
  const ended = worker();
  await clock.advance(0);
  queue.addAfter('a', 1_000);
  queue.close();
  await ended;
  queue.add('b');
  queue.addAfter('c', 10);
  expect([await queue.take(), queue.size, clock.pending]).toEqual([undefined, 0, 0]);
});

test('what is in line when the queue is closed is let go, and so is what was added again while it was worked on', async () => {
  const { queue } = aQueue();
  for (const key of ['a', 'b']) queue.add(key);
  await queue.take();
  queue.add('a');
  queue.close();
  queue.add('a');
  queue.done('a');
  expect([await queue.take(), queue.size]).toEqual([undefined, 0]);
});

test('a key cannot be given back by who does not have it', () => {
  const { queue } = aQueue();
  expect(() => queue.done('a')).toThrow('no worker has it');
});

test('those who count are told of adds, retries, waits, work and what is running now', async () => {
  const heard: (string | number)[] = [];
  let look: () => QueueLook = () => {
    throw new Error('never told how to look');
  };
  const { queue, clock } = aQueue({
    added: () => heard.push('added'),
    retried: () => heard.push('retried'),
    waited: (seconds) => heard.push('waited', seconds),
    worked: (seconds) => heard.push('worked', seconds),
    probe: (how) => {
      look = how;
    },
  });
  queue.add('a');
  queue.add('a');
  queue.add('b');
  await clock.advance(2_000);
  await queue.take();
  await clock.advance(3_000);
  expect(look()).toEqual({ depth: 1, unfinishedSeconds: 3, longestRunningSeconds: 3 });
  queue.done('a');
  queue.addAfterFailure('a');
  queue.addAfter('b', 1_000);
  expect(heard).toEqual(['added', 'added', 'waited', 2, 'worked', 3, 'retried', 'retried']);
});

test('whatever is added and in whatever order, no key is lost, doubled or with two workers', async () => {
  const key = fc.constantFrom('a', 'b', 'c');
  const act = fc.oneof(
    fc.record({ do: fc.constant('add' as const), key }),
    fc.record({ do: fc.constant('after' as const), key, ms: fc.nat(50) }),
    fc.record({ do: fc.constant('fail' as const), key }),
    fc.record({ do: fc.constant('take' as const) }),
    fc.record({ do: fc.constant('done' as const) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.nat(60) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      const { queue, clock } = aQueue();
      const working: string[] = [];
      const owed = new Set<string>();
      const take = async () => {
        if (queue.size === 0) return;
        const next = (await queue.take()) ?? '';
        expect(working).not.toContain(next);
        owed.delete(next);
        working.push(next);
      };
      const giveBack = () => {
        const next = working.shift();
        if (next !== undefined) queue.done(next);
      };
      for (const each of acts) {
        if (each.do === 'add') queue.add(each.key);
        else if (each.do === 'after') queue.addAfter(each.key, each.ms);
        else if (each.do === 'fail') queue.addAfterFailure(each.key);
        else if (each.do === 'take') await take();
        else if (each.do === 'done') giveBack();
        else await clock.advance(each.ms);
        if ('key' in each) owed.add(each.key);
      }
      await clock.advance(10_000);
      while (working.length > 0 || queue.size > 0) {
        await take();
        giveBack();
      }
      expect([...owed]).toEqual([]);
      expect(queue.delayed).toBe(0);
    }),
  );
});
