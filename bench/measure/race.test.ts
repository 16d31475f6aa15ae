import { expect, test } from 'vitest';
import { rotated } from './race.ts';

test('each round begins with the next contender, and has them all', () => {
  const orders = [0, 1, 2, 3].map((round) => rotated(['limit', 'ours', 'other'], round).join(' '));
  expect(orders).toEqual(['limit ours other', 'ours other limit', 'other limit ours', 'limit ours other']);
});
