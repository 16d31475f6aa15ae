import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { shrunk } from './shrink.ts';

test('what is left is exactly what it takes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(60), { minLength: 1 }), fc.nat(2), async (items, extra) => {
      const needed = items.slice(0, 1 + extra);
      const left = await shrunk(items, async (some) => needed.every((each) => some.includes(each)), 10_000);
      expect([...left].sort()).toEqual([...needed].sort());
    }),
    { numRuns: 50 },
  );
});
