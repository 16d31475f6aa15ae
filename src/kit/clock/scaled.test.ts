import { expect, test } from 'vitest';
import { scaledClock } from './scaled.ts';
import { VirtualClock } from './virtual.ts';

test('an hour passes in six minutes', async () => {
  const clock = new VirtualClock();
  const began = clock.now().getTime();
  const scaled = scaledClock(clock, 10);
  const fired: number[] = [];
  scaled.after(3_600_000, () => fired.push(scaled.monotonic()));
  const cancel = scaled.after(1_000, () => fired.push(0));
  cancel();
  await clock.advance(359_999);
  expect(fired).toEqual([]);
  await clock.advance(1);
  expect(fired).toEqual([3_600_000]);
  expect(scaled.now().getTime() - began).toBe(3_600_000);
});
