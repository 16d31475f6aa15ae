import { expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { ObjectRates } from './object-rate.ts';

function takes(rates: ObjectRates, object: string, times: number): number {
  return Array.from({ length: times }, () => rates.take(object)).filter((allowed) => allowed).length;
}

it('allows a burst, then one more each time that the pause has passed', async () => {
  const clock = new VirtualClock();
  const rates = new ObjectRates(clock, { burst: 3, refillMs: 1000 });
  expect(takes(rates, 'a', 5)).toBe(3);
  await clock.advance(999);
  expect(takes(rates, 'a', 5)).toBe(0);
  await clock.advance(1);
  expect(takes(rates, 'a', 5)).toBe(1);
  await clock.advance(2000);
  expect(takes(rates, 'a', 5)).toBe(2);
});

it('saves up no more than a burst, however long an object was quiet', async () => {
  const clock = new VirtualClock();
  const rates = new ObjectRates(clock, { burst: 3, refillMs: 1000 });
  rates.take('a');
  await clock.advance(1_000_000);
  expect(takes(rates, 'a', 10)).toBe(3);
});

it('counts each object for itself', () => {
  const rates = new ObjectRates(new VirtualClock(), { burst: 1, refillMs: 1000 });
  expect([takes(rates, 'a', 2), takes(rates, 'b', 2)]).toEqual([1, 1]);
});
