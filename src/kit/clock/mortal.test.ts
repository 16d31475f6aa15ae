import { expect, test } from 'vitest';
import { MortalClock } from './mortal.ts';
import { VirtualClock } from './virtual.ts';

function both() {
  const clock = new VirtualClock();
  const mortal = new MortalClock(clock);
  const fired: number[] = [];
  return { clock, mortal, fired, fire: () => fired.push(clock.monotonic()) };
}

test('who is dead is not called back, and leaves no timer', async () => {
  const { clock, mortal, fired, fire } = both();
  mortal.after(10, fire);
  mortal.die();
  mortal.after(10, fire);
  expect(clock.pending).toBe(0);
  await clock.advance(100);
  expect(fired).toEqual([]);
});

test('what falls due during a pause comes when it is over, unless it is cancelled before', async () => {
  const { clock, mortal, fired, fire } = both();
  mortal.after(10, fire);
  const cancel = mortal.after(20, fire);
  mortal.after(200, fire);
  mortal.pause(100);
  await clock.advance(50);
  cancel();
  await clock.advance(250);
  expect(fired).toEqual([100, 200]);
});

test('a stream waits until the pause is over', async () => {
  const { clock, mortal, fire, fired } = both();
  mortal.pause(100);
  void mortal.awake().then(fire);
  await clock.advance(99);
  expect(fired).toEqual([]);
  await clock.advance(2);
  expect(fired).toEqual([100]);
});
