/** What a wipe does, in order: which bytes of the device, and what becomes of them. Pure. Never past the end of the device. */
import type { WipeMethod } from './methods.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** Of a device that is wiped at its head only. Ceph keeps copies of its label at the other places. */
const HEAD_BYTES = 100 * MIB;
const HEADS_AT = [0, 1 * GIB, 10 * GIB, 100 * GIB, 1000 * GIB];

/** No device has larger blocks. Extents begin at a multiple of this, and pieces are a multiple of it unless the device ends there. */
export const ALIGNMENT_BYTES = 4096;

export interface Extent {
  readonly start: number;
  readonly length: number;
}

/** A part of a pass that is done at one time. `at` counts the bytes of the pass that come before it. */
export interface Piece extends Extent {
  readonly at: number;
}

/** One sweep over parts of the device. */
export interface Pass {
  readonly does: 'zero' | 'randomise' | 'discard';
  readonly extents: readonly Extent[];
}

export function courseOf(method: WipeMethod, sizeBytes: number): readonly Pass[] {
  const whole = [{ start: 0, length: sizeBytes }];
  switch (method) {
    case 'zero-head':
      return [{ does: 'zero', extents: headsOf(sizeBytes) }];
    case 'zero-all':
      return [{ does: 'zero', extents: whole }];
    case 'random-all':
      return [{ does: 'randomise', extents: whole }];
    case 'discard':
      /** What is discarded need not read as zeroes: what would be taken for a filesystem is overwritten. */
      return [
        { does: 'discard', extents: whole },
        { does: 'zero', extents: headsOf(sizeBytes) },
      ];
  }
}

const headsOf = (sizeBytes: number): readonly Extent[] =>
  HEADS_AT.filter((start) => start < sizeBytes).map((start) => ({
    start,
    length: Math.min(HEAD_BYTES, sizeBytes - start),
  }));

export const bytesOf = ({ extents }: Pass): number => extents.reduce((sum, { length }) => sum + length, 0);

/** How many bytes all passes have together: what progress is counted in. */
export const lengthOf = (course: readonly Pass[]): number => course.reduce((sum, pass) => sum + bytesOf(pass), 0);

/** How many bytes of the device are other than before: those that two passes go over count once. */
export const coveredBy = (course: readonly Pass[]): number => Math.max(...course.map(bytesOf));

/** How many bytes were written, and not only discarded: what can be read back. No two such passes go over the same bytes. */
export const writtenBy = (course: readonly Pass[]): number => lengthOf(course.filter(({ does }) => does !== 'discard'));

/** What is left of a pass of which the first `done` bytes are done, in pieces of at most `pieceBytes`. */
export function* piecesOf({ extents }: Pass, done: number, pieceBytes: number): Generator<Piece> {
  let passed = 0;
  for (const { start, length } of extents) {
    for (let offset = Math.max(0, done - passed); offset < length; offset += pieceBytes) {
      yield { start: start + offset, length: Math.min(pieceBytes, length - offset), at: passed + offset };
    }
    passed += length;
  }
}
