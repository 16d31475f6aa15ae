import { expect, test } from 'vitest';
import { Bell } from './bell.ts';
import { VirtualClock } from './virtual.ts';

const never = new AbortController().signal;

test('whoever waits wakes up when it is rung', async () => {
  const bell = new Bell();
  const clock = new VirtualClock();
  const waiting = bell.wait(clock, 1_000, never);
  bell.ring();
  await waiting;
  expect(clock.monotonic()).toBe(0);
});

test('what is rung while nobody waits is not lost, and counts once', async () => {
  const bell = new Bell();
  const clock = new VirtualClock();
  bell.ring();
  bell.ring();
  await bell.wait(clock, 1_000, never);
  let isAwake = false;
  const second = bell.wait(clock, 1_000, never).then(() => {
    isAwake = true;
  });
  await clock.advance(999);
  expect(isAwake).toBe(false);
  await clock.advance(1);
  await second;
});

test('a wait ends with the reason of its signal, and leaves no timer behind', async () => {
  const bell = new Bell();
  const clock = new VirtualClock();
  const abort = new AbortController();
  const waiting = bell.wait(clock, 1_000, abort.signal);
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(bell.wait(clock, 1_000, abort.signal)).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});
