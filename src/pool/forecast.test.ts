import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOneUnit, isCloseTo, type Sample, timeToFullMs, withSample } from './forecast.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** One a minute. */
const growing = (minutes: number, perMinute: number, from = 0): readonly Sample[] =>
  Array.from({ length: minutes + 1 }, (_, minute) => ({ at: minute * MINUTE, usedBytes: from + minute * perMinute }));

describe('the time to full', () => {
  test('is what is left, at the pace of late', () => {
    expect(timeToFullMs(growing(30, 10), 900)).toBeCloseTo(60 * MINUTE, -2);
  });

  test('is not known from a few minutes', () => {
    expect(timeToFullMs(growing(9, 10), 900)).toBeUndefined();
    expect(timeToFullMs(growing(10, 10), 900)).toBeDefined();
    expect(timeToFullMs([], 900)).toBeUndefined();
    const afterADay = growing(9, 10).map(({ at, usedBytes }) => ({ at: at + 24 * HOUR, usedBytes }));
    expect(timeToFullMs(afterADay, 900)).toBeUndefined();
  });

  test.each([
    ['stays the same', 0],
    ['gets emptier', -10],
  ])('is not known of a pool that %s', (_, perMinute) => {
    expect(timeToFullMs(growing(30, perMinute, 500), 900)).toBeUndefined();
  });

  test('is none when it is further away than a year', () => {
    expect(timeToFullMs(growing(30, 1), 2 ** 40)).toBeUndefined();
  });

  test('of a full pool is now', () => {
    expect(timeToFullMs(growing(30, 10), 300)).toBe(0);
  });

  test('is right whatever the pace', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 11, max: 59 }), (pace, minutes) => {
        const capacity = pace * (minutes + 100);
        expect(timeToFullMs(growing(minutes, pace), capacity)).toBeCloseTo(100 * MINUTE, -3);
      }),
    );
  });
});

describe('samples', () => {
  const all = (many: readonly Sample[]) => many.reduce<readonly Sample[]>((kept, each) => withSample(kept, each), []);

  test('are kept for an hour', () => {
    const kept = all(growing(200, 1));
    expect(kept[0]?.at).toBe(140 * MINUTE);
    expect(kept.at(-1)?.at).toBe(200 * MINUTE);
  });

  test('that are close replace each other, so that there are never many', () => {
    const kept = all(Array.from({ length: 3_000 }, (_, index) => ({ at: index * 3_000, usedBytes: index })));
    expect(kept.length).toBeLessThan(130);
    expect(kept.at(-1)).toEqual({ at: 2_999 * 3_000, usedBytes: 2_999 });
  });
});

test.each([
  [1_000, '5m'],
  [41 * MINUTE, '40m'],
  [89 * MINUTE, '90m'],
  [90 * MINUTE, '2h'],
  [100 * MINUTE, '2h'],
  [47 * HOUR, '47h'],
  [48 * HOUR, '2d'],
  [50 * HOUR, '2d'],
  [300 * 24 * HOUR, '300d'],
])('%d ms are told as %s', (ms, text) => {
  expect(inOneUnit(ms)).toBe(text);
});

test('a fifth more or less is no news', () => {
  expect([isCloseTo(119, 100), isCloseTo(81, 100), isCloseTo(121, 100), isCloseTo(79, 100)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
