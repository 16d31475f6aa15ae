import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationText } from '../../test/arbitraries/duration-text.ts';
import { describeDuration, formatDuration, parseDuration } from './duration.ts';
import { InvalidValue } from './invalid-value.ts';

const LONGEST = 2n ** 63n - 1n;
const nanoseconds = fc.oneof(
  fc.bigInt({ min: -LONGEST - 1n, max: LONGEST }),
  fc.bigInt({ min: -10_000_000_000n, max: 10_000_000_000n }),
);

describe('a duration', () => {
  it.each([
    ['60m', 3_600_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['100ms', 100],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['250μs', 0.25],
    ['-1s', -1000],
    ['+1s', 1000],
    ['0', 0],
    ['-0', 0],
    ['.5s', 500],
    ['1.s', 1000],
    ['1s1h1s', 3_602_000],
  ])('%s is %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text).milliseconds).toBe(milliseconds);
  });

  it.each(['', '-', '60', '1h30', '1 h', 's', '.s', '1d', '1H', '--1s', '1h-1m', '00', ' 1s', '1s\n', '1e3s', '1,5s'])(
    'is not read from %j',
    (text) => {
      expect(() => parseDuration(text)).toThrow(InvalidValue);
    },
  );

  it.each([
    ['60', '"60" is not a duration: 60 has no unit; write numbers with units, such as 90s'],
    ['2d', '"2d" is not a duration: the unit "d" is unknown; write'],
    ['300000h1000000h2000000h', 'it is longer than 292 years'],
  ])('that is wrong, such as %s, is explained', (text, explanation) => {
    expect(() => parseDuration(text)).toThrow(explanation);
  });

  it('reaches from -2^63 to 2^63-1 nanoseconds', () => {
    expect(parseDuration('9223372036854775807ns').nanoseconds).toBe(LONGEST);
    expect(parseDuration('-9223372036854775808ns').nanoseconds).toBe(-LONGEST - 1n);
    expect(() => parseDuration('9223372036854775808ns')).toThrow(InvalidValue);
  });

  it('has the fraction of an hour to the nanosecond that Go finds', () => {
    expect(parseDuration('0.3333333333333333333h').nanoseconds).toBe(1_200_000_000_000n);
    expect(parseDuration('0.100000000000000000000h').nanoseconds).toBe(360_000_000_000n);
    expect(parseDuration('1.9999999999s').nanoseconds).toBe(1_999_999_999n);
  });

  it.each([
    [0n, '0s'],
    [1n, '1ns'],
    [1100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [3_300_000_000n, '3.3s'],
    [245_000_000_000n, '4m5s'],
    [5_400_000_000_000n, '1h30m0s'],
    [-LONGEST - 1n, '-2562047h47m16.854775808s'],
  ])('of %d nanoseconds is written %s', (length, text) => {
    expect(formatDuration(length)).toBe(text);
  });

  it('reads back from what it is written as', () => {
    fc.assert(
      fc.property(nanoseconds, (length) => {
        expect(parseDuration(formatDuration(length)).nanoseconds).toBe(length);
      }),
    );
  });

  it('never fails with anything but an explanation', () => {
    fc.assert(
      fc.property(fc.oneof(durationText, fc.string()), (text) => {
        try {
          parseDuration(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
        }
      }),
    );
    expect(() => parseDuration('1s'.repeat(1_000_000))).toThrow(InvalidValue);
  });

  it.each([
    [0, '0 s'],
    [0.4, 'less than 1 ms'],
    [250, '250 ms'],
    [1500, '1 s 500 ms'],
    [123_000, '2 min 3 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [90_061_000, '1 d 1 h'],
    [-2000, '-2 s'],
  ])('of %d milliseconds is told as %s', (milliseconds, words) => {
    expect(describeDuration(milliseconds)).toBe(words);
  });
});
