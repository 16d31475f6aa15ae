import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mutated } from '../../test/arbitraries/mutation.ts';
import { askedRange } from './ranges.ts';

test.each([
  [undefined, 10, 'all'],
  ['bytes=0-4', 10, { start: 0, end: 5 }],
  ['bytes=5-', 10, { start: 5, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['bytes=4-99', 10, { start: 4, end: 10 }],
  ['bytes=10-', 10, 'none'],
  ['bytes=-0', 10, 'none'],
  ['bytes=4-3', 10, 'all'],
  ['bytes=4-4', 10, { start: 4, end: 5 }],
  ['bytes=0-1,3-4', 10, 'all'],
  ['lines=0-1', 10, 'all'],
])('%s of %d bytes is %j', (header, size, range) => {
  expect(askedRange(header, size)).toEqual(range);
});

test('whatever is asked for, nothing outside of the blob is sent, and never a part without a byte', () => {
  const headers = fc.oneof(
    fc.string(),
    mutated(fc.constantFrom('bytes=0-99', 'bytes=5-', 'bytes=-7'), '0123456789-=,bytes '),
  );
  fc.assert(
    fc.property(headers, fc.nat(200), (header, size) => {
      const range = askedRange(header, size);
      if (typeof range === 'string') return;
      expect(range.start).toBeLessThan(range.end);
      expect(range.end).toBeLessThanOrEqual(size);
      expect(range.start).toBeGreaterThanOrEqual(0);
    }),
  );
});
