import { describe, expect, test } from 'vitest';
import { DEFAULT_THIN_LIMITS } from './contract.ts';
import type { ReportedPool } from './node-report.ts';
import { PoolLevels } from './pool-levels.ts';

const pool = (changes: Partial<ReportedPool>): ReportedPool => ({
  name: 'pool',
  sizeBytes: 1_000,
  promisedBytes: 0,
  ...changes,
});

/** What is told of one pool, look after look. */
function told(...looks: readonly Partial<ReportedPool>[]) {
  const levels = new PoolLevels(DEFAULT_THIN_LIMITS);
  return looks.map((look) =>
    levels
      .rise([{ name: 'vg', sizeBytes: 1, freeBytes: 0, missingDisks: 0, pools: [pool(look)] }])
      .map(({ measure, percent, isClosed }) => `${measure} ${percent}${isClosed ? ' closed' : ''}`),
  );
}
const data = (...percents: readonly number[]) => told(...percents.map((dataPercent) => ({ dataPercent })));

describe('a thin pool', () => {
  test('is told of before nothing new is made in it, when that is so, and when it is almost full', () => {
    expect(data(79.9, 80, 89, 90, 97, 98, 100)).toEqual([
      [],
      ['data 80'],
      [],
      ['data 90 closed'],
      [],
      ['data 98 closed'],
      [],
    ]);
  });

  test('that was found far up is told of once, and not once for each level below', () => {
    expect(data(99, 99)).toEqual([['data 99 closed'], []]);
  });

  test('that goes up and down a little is told of once, and again when it was well below', () => {
    expect(data(80, 79, 80, 76, 81, 74, 80)).toEqual([['data 80'], [], [], [], [], [], ['data 80']]);
  });

  test('has metadata, which close it earlier', () => {
    expect(told({ metadataPercent: 70 }, { metadataPercent: 80 })).toEqual([['metadata 70'], ['metadata 80 closed']]);
  });

  test('that promises more than it has is told of, and again when it may promise no more', () => {
    const looks = [1_000, 1_001, 9_999, 10_000].map((promisedBytes) => ({ promisedBytes }));
    expect(told(...looks)).toEqual([[], ['promised 100.1'], [], ['promised 1000 closed']]);
  });

  test('whose use the kernel does not tell, or that has no size, is not told of', () => {
    expect(told({}, { sizeBytes: 0, promisedBytes: 5 })).toEqual([[], []]);
  });

  test('that is removed and made again is told of again', () => {
    const levels = new PoolLevels(DEFAULT_THIN_LIMITS);
    const group = { name: 'vg', sizeBytes: 1, freeBytes: 0, missingDisks: 0 };
    const full = [{ ...group, pools: [pool({ dataPercent: 95 })] }];
    expect([full, [], full].map((groups) => levels.rise(groups).length)).toEqual([1, 0, 1]);
  });
});
