import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quantityText, validQuantityText } from '../../test/arbitraries/quantity-text.ts';
import { Quantity } from '../kit/quantity.ts';
import { readSize, roundUpToExtents } from './size.ts';

const EXTENT = 4n * 2n ** 20n;
const TOO_LARGE = 2n ** 63n - 1n;

describe('a size is read as Kubernetes reads it', () => {
  test.each([
    ['1Ki', 1024n],
    ['1k', 1000n],
    ['1.5Gi', 3n * 2n ** 29n],
    ['10Gi', 10n * 2n ** 30n],
    ['1048576', 1048576n],
    ['3e6', 3_000_000n],
    ['7Ei', 7n * 2n ** 60n],
    ['1500m', 2n],
    ['1n', 1n],
  ])('%s is %s bytes', (text, bytes) => {
    expect(readSize(text)).toEqual({ bytes });
  });
});

describe('what nobody can allocate is refused', () => {
  test.each([
    ['0', 'it is nothing'],
    ['0m', 'it is nothing'],
    ['-1Gi', 'it is negative'],
    ['-500m', 'it is nothing'],
    ['8Ei', 'LVM takes less than 8Ei'],
    ['16Ei', 'LVM takes less than 8Ei'],
    ['9223372036854775807', 'LVM takes less than 8Ei'],
    ['1e30', 'LVM takes less than 8Ei'],
    ['', 'write a number and a suffix'],
    ['10GB', 'the suffix "GB" is unknown'],
    ['10Gi\n', 'write a number and a suffix'],
    ['1'.repeat(300), 'it is longer than 256 characters'],
    ['١٠Gi', 'write a number and a suffix'],
  ])('%j', (text, why) => {
    const size = readSize(text);
    expect(size).toEqual({ fault: expect.stringContaining(why) });
    expect(size).toEqual({ fault: expect.stringMatching(/^cannot be "[\x20-\x7e]*$/) });
  });
});

describe('whatever is asked for', () => {
  test('a size is read, or refused, and never thrown over', () => {
    fc.assert(
      fc.property(fc.oneof(quantityText, fc.string()), (text) => {
        const size = readSize(text);
        expect('fault' in size || size.bytes > 0n).toBe(true);
      }),
    );
  });

  test('bytes are the least whole number that is not less than what is asked for', () => {
    fc.assert(
      fc.property(validQuantityText, (text) => {
        const asked = Quantity.parse(text);
        const size = readSize(text);
        if ('fault' in size) {
          const isAllocatable = asked.toBytesCeil() > 0n && asked.toBytesCeil() < TOO_LARGE;
          expect(isAllocatable).toBe(false);
          return;
        }
        expect(Quantity.ofBytes(size.bytes).compare(asked)).toBeGreaterThanOrEqual(0);
        expect(Quantity.ofBytes(size.bytes - 1n).compare(asked)).toBe(-1);
      }),
    );
  });

  const bytes = fc.bigInt({ min: 1n, max: 2n ** 62n });
  const extents = fc.integer({ min: 0, max: 20 }).map((power) => 1024n * 2n ** BigInt(power));

  test('extents hold it, and one fewer would not', () => {
    fc.assert(
      fc.property(bytes, extents, (asked, extent) => {
        const allocated = roundUpToExtents(asked, extent);
        expect(allocated % extent).toBe(0n);
        expect(allocated >= asked && allocated - extent < asked).toBe(true);
      }),
    );
  });

  test('what was rounded up stays as it is', () => {
    fc.assert(
      fc.property(bytes, extents, (asked, extent) => {
        const allocated = roundUpToExtents(asked, extent);
        expect(roundUpToExtents(allocated, extent)).toBe(allocated);
      }),
    );
  });

  test('a byte more than an extent takes a second one', () => {
    expect(roundUpToExtents(EXTENT, EXTENT)).toBe(EXTENT);
    expect(roundUpToExtents(EXTENT + 1n, EXTENT)).toBe(2n * EXTENT);
  });
});
