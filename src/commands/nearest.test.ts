import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const KNOWN = ['isMounted', 'isSwap', 'groupIsFull', 'poolIsFull', 'keyIsMissing'];

test.each([
  ['isMountd', ['isMounted']],
  ['ismounted', ['isMounted']],
  ['IsFull', ['groupIsFull', 'poolIsFull']],
  ['poolsIsFull', ['poolIsFull']],
  ['something else', []],
  ['', []],
])('%s is near to %j', (typed, expected) => {
  expect(nearest(typed, KNOWN)).toEqual(expected);
});

test('what is very long is no work', () => {
  expect(nearest('x'.repeat(1_000_000), KNOWN)).toEqual([]);
});
