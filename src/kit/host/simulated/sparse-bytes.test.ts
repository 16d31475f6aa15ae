import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SparseBytes } from './sparse-bytes.ts';

/** Around the borders of chunks. */
const SIZE = 256 * 1024;

type Step =
  | { readonly do: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly do: 'zero'; readonly position: number; readonly length: number }
  | { readonly do: 'sync' }
  | { readonly do: 'lose' };

it('behaves as an array of bytes that a power cut takes back to the last sync', () => {
  fc.assert(
    fc.property(fc.array(anyStep(), { maxLength: 12 }), (steps) => {
      const sparse = new SparseBytes();
      let [plain, synced] = [new Uint8Array(SIZE), new Uint8Array(SIZE)];
      for (const step of steps) {
        if (step.do === 'write') plain.set(step.bytes, step.position);
        if (step.do === 'zero') plain.fill(0, step.position, step.position + step.length);
        if (step.do === 'sync') synced = plain.slice();
        if (step.do === 'lose') plain = synced.slice();
        apply(sparse, step);
      }
      expect(contentOf(sparse).equals(plain)).toBe(true);
      expect(sparse.isZero(0, SIZE)).toBe(Buffer.alloc(SIZE).equals(plain));
      expect(sparse.digest()).toBe(digestOf(plain));
    }),
  );
});

it('takes no memory for zeroes', () => {
  const sparse = new SparseBytes();
  sparse.write(new Uint8Array(SIZE), 2 ** 50);
  sparse.zero(0, 2 ** 52);
  expect(sparse.digest()).toBe(new SparseBytes().digest());
});

function apply(sparse: SparseBytes, step: Step): void {
  if (step.do === 'write') sparse.write(step.bytes, step.position);
  if (step.do === 'zero') sparse.zero(step.position, step.length);
  if (step.do === 'sync') sparse.sync();
  if (step.do === 'lose') sparse.loseUnsynced();
}

function anyStep(): fc.Arbitrary<Step> {
  const range = fc
    .tuple(fc.nat(SIZE), fc.nat(SIZE))
    .map(([a, b]) => ({ position: Math.min(a, b), length: Math.abs(a - b) }));
  return fc.oneof(
    fc
      .tuple(range, fc.nat(3))
      .map(
        ([{ position, length }, fill]): Step => ({ do: 'write', position, bytes: new Uint8Array(length).fill(fill) }),
      ),
    range.map((zeroed): Step => ({ do: 'zero', ...zeroed })),
    fc.constantFrom<Step>({ do: 'sync' }, { do: 'lose' }),
  );
}

function contentOf(sparse: SparseBytes): Buffer {
  const content = Buffer.alloc(SIZE, 0xff);
  sparse.read(content, 0);
  return content;
}

function digestOf(plain: Uint8Array): string {
  const fresh = new SparseBytes();
  fresh.write(plain, 0);
  return fresh.digest();
}
