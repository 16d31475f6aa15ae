import { expect, it } from 'vitest';
import { failureOf } from './failure-of.ts';

it('gives what work has failed with, as an error in any case, and nothing when it has not', async () => {
  const failure = new TypeError('no');
  expect(await failureOf(() => Promise.reject(failure))).toBe(failure);
  expect(await failureOf(() => Promise.reject('no'))).toEqual(new Error('no'));
  expect(await failureOf(() => Promise.resolve('yes'))).toBeUndefined();
});
