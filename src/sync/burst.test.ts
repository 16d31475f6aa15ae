import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { Burst } from './burst.ts';
import { CEILING_MS, QUIET_MS } from './contract.ts';

test('a single change is dealt with when it has been quiet for a while', async () => {
  const clock = new VirtualClock();
  const burst = new Burst(clock);
  burst.note();
  expect(burst.waitMs).toBe(QUIET_MS);
  await clock.advance(QUIET_MS);
  expect(burst.waitMs).toBe(0);
  expect(burst.isUnderWay).toBe(true);
});

test('changes that never end are dealt with all the same', async () => {
  const clock = new VirtualClock();
  const burst = new Burst(clock);
  let waited = 0;
  for (burst.note(); burst.waitMs > 0; burst.note()) {
    await clock.advance(QUIET_MS / 2);
    waited += QUIET_MS / 2;
  }
  expect(waited).toBe(CEILING_MS);
});

test('what changes after it was taken is another one', async () => {
  const clock = new VirtualClock();
  const burst = new Burst(clock);
  burst.note();
  await clock.advance(CEILING_MS);
  burst.take();
  expect(burst.isUnderWay).toBe(false);
  burst.note();
  expect(burst.waitMs).toBe(QUIET_MS);
});
