import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { RateLimiter } from './rate-limit.ts';

describe('a rate limiter', () => {
  test('lets a burst go at once and spaces the rest evenly, in the order of the calls', async () => {
    const { clock, limiter } = aLimiter(10, 3);
    const went: string[] = [];
    for (const name of 'abcdef') void limiter.take().then(() => went.push(`${name} ${clock.monotonic()}`));
    await clock.advance(1_000);
    expect(went).toEqual(['a 0', 'b 0', 'c 0', 'd 100', 'e 200', 'f 300']);
  });

  test('saves up no more than one burst while nothing is asked for', async () => {
    const { clock, limiter } = aLimiter(10, 2);
    await clock.advance(60_000);
    const went: number[] = [];
    for (let i = 0; i < 4; i++) void limiter.take().then(() => went.push(clock.monotonic() - 60_000));
    await clock.advance(1_000);
    expect(went).toEqual([0, 0, 100, 200]);
  });

  test('never lets more go in any time than the burst and the rate allow', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(gaps, fc.integer({ min: 1, max: 5 }), async (pauses, burst) => {
        const { clock, limiter } = aLimiter(10, burst);
        const went: number[] = [];
        for (const pause of pauses) {
          void limiter.take().then(() => went.push(clock.monotonic()));
          await clock.advance(pause);
        }
        await clock.advance(10_000);
        expect(went).toHaveLength(pauses.length);
        for (const [i, from] of went.entries()) {
          for (const [j, to] of went.entries()) {
            if (j >= i) expect(j - i + 1).toBeLessThanOrEqual(burst + (to - from) / 100 + 1e-6);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('says whether one may go at once, and counts it only then', async () => {
    const { clock, limiter } = aLimiter(10, 2);
    expect([limiter.tryTake(), limiter.tryTake(), limiter.tryTake(), limiter.tryTake()]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await clock.advance(100);
    expect([limiter.tryTake(), limiter.tryTake()]).toEqual([true, false]);
  });

  test('lets a request that waits be given up', async () => {
    const { clock, limiter } = aLimiter(1, 1);
    await limiter.take();
    const stop = new AbortController();
    const waiting = limiter.take(stop.signal);
    stop.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    expect(clock.pending).toBe(0);
  });

  test.each([
    [0, 1],
    [-1, 1],
    [Number.NaN, 1],
    [10, 0],
  ])('cannot be made with %d per second and a burst of %d', (perSecond, burst) => {
    expect(() => aLimiter(perSecond, burst)).toThrow('needs perSecond > 0 and burst >= 1');
  });
});

function aLimiter(perSecond: number, burst: number) {
  const clock = new VirtualClock();
  return { clock, limiter: new RateLimiter(clock, { perSecond, burst }) };
}
