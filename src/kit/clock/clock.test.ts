import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sleep, systemClock } from './clock.ts';
import { settled, VirtualClock } from './virtual.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('the system clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 5, 100 * DAY_MS])('calls once, after %d ms and not before', (ms) => {
    const call = vi.fn();
    systemClock.after(ms, call);
    vi.advanceTimersByTime(Math.max(0, ms - 1));
    expect(call).toHaveBeenCalledTimes(ms === 0 ? 1 : 0);
    vi.advanceTimersByTime(1);
    expect(call).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200 * DAY_MS);
    expect(call).toHaveBeenCalledTimes(1);
  });

  test('does not call a timer that was cancelled, however long it was and however much of it has passed', () => {
    const call = vi.fn();
    const cancel = systemClock.after(100 * DAY_MS, call);
    vi.advanceTimersByTime(60 * DAY_MS);
    cancel();
    vi.advanceTimersByTime(100 * DAY_MS);
    expect(call).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('sleep', () => {
  test('resolves when the time has passed, and leaves nothing behind on the signal', async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const done = vi.fn();
    void sleep(clock, 1000, signal).then(done);
    await clock.advance(999);
    expect(done).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(done).toHaveBeenCalledTimes(1);
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
  });

  test('rejects with the reason when it is aborted, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const asleep = sleep(clock, 1000, stop.signal);
    stop.abort(new Error('shutting down'));
    await expect(asleep).rejects.toThrow('shutting down');
    expect(clock.pending).toBe(0);
  });

  test('rejects at once when it was aborted before, and sets no timer', async () => {
    const clock = new VirtualClock();
    await expect(sleep(clock, 1000, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(clock.pending).toBe(0);
  });

  test('lets others run even when there is nothing to wait for', async () => {
    const clock = new VirtualClock();
    const done = vi.fn();
    void sleep(clock, 0).then(done);
    await settled();
    expect(done).not.toHaveBeenCalled();
    await clock.advance(0);
    expect(done).toHaveBeenCalled();
  });
});
