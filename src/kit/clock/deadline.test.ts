import { describe, expect, test } from 'vitest';
import { deadline } from './deadline.ts';
import { VirtualClock } from './virtual.ts';

const late = () => new Error('too late');

describe('a deadline', () => {
  test('aborts with its reason when the time is over, and not before', async () => {
    const clock = new VirtualClock();
    const { signal } = deadline(clock, 1000, late);
    await clock.advance(999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toEqual(late());
  });

  test('aborts with the parent and with the reason of the parent', () => {
    const parent = new AbortController();
    const { signal } = deadline(new VirtualClock(), 1000, late, parent.signal);
    parent.abort(new Error('shutting down'));
    expect(signal.reason).toEqual(new Error('shutting down'));
  });

  test('is aborted from the start when the parent is', () => {
    const { signal } = deadline(new VirtualClock(), 1000, late, AbortSignal.abort(new Error('shut down')));
    expect(signal.reason).toEqual(new Error('shut down'));
  });

  test('is aborted by nothing once it was cancelled, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    const limit = deadline(clock, 1000, late, parent.signal);
    limit.cancel();
    expect(clock.pending).toBe(0);
    parent.abort();
    await clock.advance(2000);
    expect(limit.signal.aborted).toBe(false);
  });
});
