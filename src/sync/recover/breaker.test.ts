import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tooManyLosses } from './breaker.ts';

const volumes = (lost: number, restored: number) => ({ what: 'volumes', restored, lost }) as const;

describe('an export has lost too much', () => {
  test.each([
    [6, 29],
    [21, 100],
    [1, 1],
    [5, 5],
    [100, 100],
  ])('when %i of %i are gone', (lost, restored) => {
    expect(tooManyLosses([volumes(lost, restored)], {})).toBe(
      `${lost} of the ${restored} volumes that were restored are no longer in the export`,
    );
  });

  test.each([
    [0, 0],
    [0, 100],
    [5, 6],
    [6, 30],
    [20, 100],
  ])('but not when %i of %i are', (lost, restored) => {
    expect(tooManyLosses([volumes(lost, restored)], {})).toBeUndefined();
  });

  test('also when only claims are gone', () => {
    const losses = [volumes(0, 10), { what: 'claims', restored: 10, lost: 10 } as const];
    expect(tooManyLosses(losses, {})).toContain('10 of the 10 claims');
  });

  test('by the settings of the resource', () => {
    expect(tooManyLosses([volumes(2, 10)], { massDeletion: { moreThan: 1, morePercentThan: 10 } })).toBeDefined();
    expect(tooManyLosses([volumes(9, 10)], { massDeletion: { moreThan: 100 } })).toBeUndefined();
    expect(tooManyLosses([volumes(9, 10)], { massDeletion: { morePercentThan: 90 } })).toBeUndefined();
    expect(tooManyLosses([volumes(9, 10)], { massDeletion: { morePercentThan: 89 } })).toBeDefined();
  });

  test('never, once a person has said that it may', () => {
    expect(tooManyLosses([volumes(10, 10)], { allowMassDeletion: true })).toBeUndefined();
  });

  test('whenever all are gone, whatever the settings say', () => {
    const settings = fc.record({ moreThan: fc.nat(200), morePercentThan: fc.nat(100) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), settings, (count, massDeletion) => {
        expect(tooManyLosses([volumes(count, count)], { massDeletion })).toBeDefined();
      }),
    );
  });
});
