import { expect, it } from 'vitest';
import { goFloat } from './go-float.ts';

/** Taken from Go's strconv.FormatFloat(x, 'g', -1, 64). */
it.each([
  [1e-8, '1e-08'],
  [9.999999999999999e-6, '9.999999999999999e-06'],
  [0.00001, '1e-05'],
  [0.0001, '0.0001'],
  [0, '0'],
  [2.5, '2.5'],
  [100_000, '100000'],
  [1_000_000, '1e+06'],
  [-123_456_789, '-1.23456789e+08'],
  [1.5e21, '1.5e+21'],
  [1e-300, '1e-300'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [Number.NaN, 'NaN'],
])('writes %d as %s', (value, text) => {
  expect(goFloat(value)).toBe(text);
});
