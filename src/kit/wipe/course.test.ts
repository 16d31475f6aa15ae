import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALIGNMENT_BYTES, courseOf, coveredBy, type Extent, lengthOf, piecesOf } from './course.ts';
import { WIPE_METHODS } from './methods.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const HEAD = 100 * MIB;

describe('zero-head', () => {
  it.each<[string, number, [number, number][]]>([
    ['one block', 512, [[0, 512]]],
    ['less than a head', 99 * MIB + 512, [[0, 99 * MIB + 512]]],
    ['exactly a head', HEAD, [[0, HEAD]]],
    ['one block short of the second', GIB, [[0, HEAD]]],
    [
      'one block of the second',
      GIB + 512,
      [
        [0, HEAD],
        [GIB, 512],
      ],
    ],
    [
      '4 GiB',
      4 * GIB,
      [
        [0, HEAD],
        [GIB, HEAD],
      ],
    ],
    [
      'up to within the third',
      10 * GIB + 5120,
      [
        [0, HEAD],
        [GIB, HEAD],
        [10 * GIB, 5120],
      ],
    ],
    ['2000 GiB', 2000 * GIB, [0, 1, 10, 100, 1000].map((at) => [at * GIB, HEAD])],
    [
      'a thousand and a bit',
      1000 * GIB + 4096,
      [...[0, 1, 10, 100].map((at): [number, number] => [at * GIB, HEAD]), [1000 * GIB, 4096]],
    ],
  ])('of a device of %s', (_, size, extents) => {
    const [pass, ...others] = courseOf('zero-head', size);
    expect(pass).toEqual({ does: 'zero', extents: extents.map(([start, length]) => ({ start, length })) });
    expect(others).toEqual([]);
  });
});

describe('the other methods', () => {
  const whole = (size: number) => [{ start: 0, length: size }];

  it('go over the whole device', () => {
    expect(courseOf('zero-all', 5 * GIB)).toEqual([{ does: 'zero', extents: whole(5 * GIB) }]);
    expect(courseOf('random-all', 5 * GIB)).toEqual([{ does: 'randomise', extents: whole(5 * GIB) }]);
  });

  it('that discard zero the heads afterwards, since what is discarded need not read as zeroes', () => {
    const course = courseOf('discard', 5 * GIB);
    expect(course).toEqual([{ does: 'discard', extents: whole(5 * GIB) }, ...courseOf('zero-head', 5 * GIB)]);
    expect(lengthOf(course)).toBe(5 * GIB + 2 * HEAD);
    expect(coveredBy(course)).toBe(5 * GIB);
  });
});

describe('the pieces of a pass', () => {
  const blocks = fc.integer({ min: 1, max: 4 * 2 ** 21 + 3 });
  const method = fc.constantFrom(...WIPE_METHODS);
  const pieceBlocks = fc.integer({ min: 2000, max: 300_000 });

  it('are, one after another, exactly its extents, and never past the end', () => {
    fc.assert(
      fc.property(method, blocks, pieceBlocks, (wipeMethod, size, piece) => {
        for (const pass of courseOf(wipeMethod, size * 512)) {
          const pieces = [...piecesOf(pass, 0, piece * ALIGNMENT_BYTES)];
          expect(joined(pieces)).toEqual(pass.extents);
          expect(Math.max(...pieces.map(({ start, length }) => start + length))).toBeLessThanOrEqual(size * 512);
        }
      }),
    );
  });

  it('that are left when some are done are the rest of them, whatever size they had before', () => {
    fc.assert(
      fc.property(method, blocks, pieceBlocks, pieceBlocks, fc.nat(), (wipeMethod, size, before, after, some) => {
        for (const pass of courseOf(wipeMethod, size * 512)) {
          const earlier = [...piecesOf(pass, 0, before * ALIGNMENT_BYTES)];
          const { at } = earlier[some % earlier.length] ?? { at: 0 };
          const done = earlier.filter((piece) => piece.at < at);
          const left = [...piecesOf(pass, at, after * ALIGNMENT_BYTES)];
          expect(joined([...done, ...left])).toEqual(pass.extents);
          expect(left[0]?.at).toBe(at);
        }
      }),
    );
  });

  it('begin and end where a direct write may, also when the size is no multiple of a page', () => {
    const [pass] = courseOf('zero-all', 9 * MIB + 512);
    const pieces = pass ? [...piecesOf(pass, 4 * MIB, 4 * MIB)] : [];
    expect(pieces).toEqual([
      { start: 4 * MIB, length: 4 * MIB, at: 4 * MIB },
      { start: 8 * MIB, length: MIB + 512, at: 8 * MIB },
    ]);
  });
});

/** Neighbours put together. */
function joined(pieces: readonly Extent[]): readonly Extent[] {
  const extents: { start: number; length: number }[] = [];
  for (const { start, length } of pieces) {
    const last = extents.at(-1);
    if (last && last.start + last.length === start) last.length += length;
    else extents.push({ start, length });
  }
  return extents;
}
