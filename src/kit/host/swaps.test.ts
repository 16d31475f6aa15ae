import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSwaps } from './swaps.ts';
import { TableError } from './table-error.ts';

const HEADING = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';

describe('the swap table', () => {
  it('is read as the kernel writes it', () => {
    const text = `${HEADING}/dev/loop0                              partition\t65532\t\t4\t\t-2\n/swap\\040file\\040(deleted)  file\t\t1024\t\t0\t\t5\n`;
    expect(parseSwaps(text)).toEqual([
      { path: '/dev/loop0', kind: 'partition', sizeBytes: 65532 * 1024, usedBytes: 4096, priority: -2 },
      { path: '/swap file (deleted)', kind: 'file', sizeBytes: 2 ** 20, usedBytes: 0, priority: 5 },
    ]);
  });

  it('can be empty, but not without its heading', () => {
    expect(parseSwaps(HEADING)).toEqual([]);
    expect(() => parseSwaps('')).toThrow(TableError);
  });

  it('is understood as a whole or not at all, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'/a 1\t\n-'.split(''), ' file ', ' partition ') }), (text) => {
        try {
          expect(parseSwaps(HEADING + text)).toHaveLength(text.split('\n').filter(Boolean).length);
        } catch (error) {
          expect(error).toBeInstanceOf(TableError);
        }
      }),
    );
  });
});
