import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

const backoff = { baseMs: 100, maxMs: 2_000 };

describe('backoff', () => {
  test('doubles its ceiling with each failure in a row, up to the most', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 100, 10_000].map((failures) => backoffMs(backoff, failures, () => 1));
    expect(ceilings).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
  });

  test('waits any whole number of milliseconds between nothing and the ceiling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, chance) => {
          const ms = backoffMs(backoff, failures, () => chance);
          expect(Number.isInteger(ms)).toBe(true);
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(backoffMs(backoff, failures, () => 1));
        },
      ),
    );
  });
});
