import { expect, test } from 'vitest';
import { connectionsFor, MemoryShares } from './memory-shares.ts';
import { PIECE_BYTES } from './trailer.ts';

test('few have large shares, many have small ones, and each has one piece at least', () => {
  const shares = new MemoryShares(8 * PIECE_BYTES);
  using stack = new DisposableStack();
  const pieces = Array.from({ length: 12 }, () => {
    stack.use(shares.hold());
    return shares.pieces;
  });
  expect(pieces).toEqual([4, 4, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
});

test('who goes leaves room for the others', () => {
  const shares = new MemoryShares(4 * PIECE_BYTES);
  using _ = shares.hold();
  const other = shares.hold();
  expect(shares.pieces).toBe(2);
  other[Symbol.dispose]();
  expect(shares.pieces).toBe(4);
});

test.each([
  [undefined, 512],
  [0, 512],
  [2 ** 63, 512],
  [100e6, 203],
  [1, 1],
])('with %s bytes of memory %i may be connected', (bytes, connections) => {
  expect(connectionsFor(bytes)).toBe(connections);
});
