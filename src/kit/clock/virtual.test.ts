import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sleep } from './clock.ts';
import { VirtualClock } from './virtual.ts';

describe('a virtual clock', () => {
  test('stands still until it is moved', async () => {
    const clock = new VirtualClock(new Date('2030-05-05T00:00:00Z'));
    expect([clock.now().toISOString(), clock.monotonic()]).toEqual(['2030-05-05T00:00:00.000Z', 0]);
    await clock.advance(1500);
    expect([clock.now().toISOString(), clock.monotonic()]).toEqual(['2030-05-05T00:00:01.500Z', 1500]);
  });

  test('fires timers by their time, those of the same time as they were set, each at its own time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 50 })), async (delays) => {
        const clock = new VirtualClock();
        const fired: { at: number; index: number }[] = [];
        for (const [index, ms] of delays.entries()) {
          clock.after(ms, () => fired.push({ at: clock.monotonic(), index }));
        }
        await clock.advance(50);
        const expected = delays.map((ms, index) => ({ at: Math.max(0, ms), index }));
        expect(fired).toEqual(expected.sort((a, b) => a.at - b.at || a.index - b.index));
      }),
      { numRuns: 50 },
    );
  });

  test('fires what is set by a timer that fires, when it falls due in the same move', async () => {
    const clock = new VirtualClock();
    const times: number[] = [];
    const tick = () => {
      times.push(clock.monotonic());
      clock.after(10, tick);
    };
    clock.after(10, tick);
    await clock.advance(35);
    expect(times).toEqual([10, 20, 30]);
    expect(clock.monotonic()).toBe(35);
  });

  test('lets what a timer woke up run before the next timer fires', async () => {
    const clock = new VirtualClock();
    const journal: string[] = [];
    void sleep(clock, 10).then(async () => {
      await null;
      journal.push('woken');
    });
    clock.after(11, () => journal.push('next'));
    await clock.advance(20);
    expect(journal).toEqual(['woken', 'next']);
  });

  test('does not fire a timer that was cancelled, and counts those that wait', async () => {
    const clock = new VirtualClock();
    const cancel = clock.after(10, () => expect.unreachable());
    expect(clock.pending).toBe(1);
    cancel();
    expect(clock.pending).toBe(0);
    await clock.advance(20);
  });

  test('leaps over timers as time does for a stopped process: they fire late', async () => {
    const clock = new VirtualClock();
    const fired: number[] = [];
    clock.after(10, () => fired.push(clock.monotonic()));
    clock.leap(1000);
    expect(fired).toEqual([]);
    await clock.advance(0);
    expect(fired).toEqual([1000]);
  });

  test('keeps measuring the same when the time of day is corrected', async () => {
    const clock = new VirtualClock();
    await clock.advance(10);
    clock.setNow(new Date('2040-01-01T00:00:00Z'));
    await clock.advance(5);
    expect([clock.now().toISOString(), clock.monotonic()]).toEqual(['2040-01-01T00:00:00.005Z', 15]);
  });
});
