import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aMember, aPool, seenOf } from './builders.ts';
import type { Autoscaling } from './contract.ts';
import { decideAutoscaling, wantedPVs } from './decide-autoscale.ts';

const SETTINGS: Autoscaling = { minPVs: 1, maxPVs: 10 };
const fill = (count: number, usedPercent: number) => ({
  count,
  usedBytes: (count * 1_000 * usedPercent) / 100,
  totalBytes: count * 1_000,
  lastBytes: 1_000,
});

describe('how many are wanted', () => {
  test.each([
    [4, 70, 4],
    [4, 71, 5],
    [4, 100, 6],
    [9, 100, 10],
    [10, 100, 10],
    [4, 46, 4],
    [4, 45, 3],
    [4, 0, 3],
    [1, 0, 1],
  ])('of %d that are used to %d percent: %d', (count, percent, wanted) => {
    expect(wantedPVs(SETTINGS, fill(count, percent))).toBe(wanted);
  });

  test('is within the bounds, whatever there are', () => {
    expect(wantedPVs({ minPVs: 3, maxPVs: 5 }, fill(1, 10))).toBe(3);
    expect(wantedPVs({ minPVs: 3, maxPVs: 5 }, fill(9, 10))).toBe(5);
  });

  test('is nothing new of a pool of which nothing is known', () => {
    expect(wantedPVs(SETTINGS, { count: 0, usedBytes: 0, totalBytes: 0, lastBytes: 0 })).toBe(1);
    expect(wantedPVs(SETTINGS, { count: 4, usedBytes: 0, totalBytes: 0, lastBytes: 0 })).toBe(4);
  });

  test('never goes back and forth: what one step leads to, the next one leaves or goes on with', () => {
    const settings = fc
      .record({
        min: fc.integer({ min: 1, max: 5 }),
        more: fc.integer({ min: 0, max: 50 }),
        target: fc.integer({ min: 20, max: 95 }),
        tolerance: fc.integer({ min: 1, max: 20 }),
      })
      .map(({ min, more, target, tolerance }) => ({
        minPVs: min,
        maxPVs: min + more,
        targetUsedPercent: target,
        tolerancePercent: tolerance,
      }));
    fc.assert(
      fc.property(
        settings,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 60_000 }),
        (autoscaling, start, usedBytes) => {
          const counts = [start];
          for (let step = 0; step < 70; step++) {
            const count = counts.at(-1) ?? 0;
            counts.push(wantedPVs(autoscaling, { count, usedBytes, totalBytes: count * 1_000, lastBytes: 1_000 }));
          }
          const steps = counts.slice(1).map((count, index) => Math.sign(count - (counts[index] ?? 0)));
          const within = steps.slice(1).filter((step) => step !== 0);
          expect(new Set(within).size).toBeLessThanOrEqual(1);
          expect(steps.at(-1)).toBe(0);
        },
      ),
    );
  });
});

describe('a change', () => {
  const pool = (desiredPVs: number) => aPool({ autoscaling: SETTINGS }, { autoscaling: { desiredPVs } });
  const full = [0, 1, 2].map((ordinal) => aMember(ordinal, { used: 900 }));
  const empty = [0, 1, 2].map((ordinal) => aMember(ordinal, { used: 0 }));

  test.each([
    ['up, at first', full, undefined, 3, 'up'],
    ['up, too early', full, { towards: 'up', forMs: 59_000 }, 3, 'up'],
    ['up, after a minute', full, { towards: 'up', forMs: 60_000 }, 4, undefined],
    ['down, too early', empty, { towards: 'down', forMs: 599_000 }, 3, 'down'],
    ['down, after ten', empty, { towards: 'down', forMs: 600_000 }, 2, undefined],
    ['up, after it was down', full, { towards: 'down', forMs: 9_000_000 }, 3, 'up'],
  ] as const)('%s', (_, members, pressure, desired, towards) => {
    const seen = seenOf({ pool: pool(3), members, parts: pressure ? { pressure } : {} });
    const { autoscaling, pressure: next } = decideAutoscaling(seen, 3);
    expect([autoscaling?.desiredPVs, next]).toEqual([desired, towards]);
  });

  test('down is none when the one that would leave has the room: the others would be too full, and it would come back', () => {
    const members = [1_000, 1_000, 10_000].map((total, ordinal) => aMember(ordinal, { total, used: 500 }));
    const seen = seenOf({ pool: pool(3), members, parts: { pressure: { towards: 'down', forMs: 600_000 } } });
    expect(decideAutoscaling(seen, 3)).toMatchObject({ autoscaling: { desiredPVs: 3 } });
  });

  test('is none without autoscaling', () => {
    expect(decideAutoscaling(seenOf(), 3)).toEqual({ autoscaling: undefined, pressure: undefined });
  });
});
