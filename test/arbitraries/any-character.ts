/**
 * Every character that there is, for `fc.string({ unit: anyCharacter })`: the same strings as with the unit `binary`, which takes seconds and
 * a hundred megabytes for a table of all million characters, only to find out which one it has made.
 */
import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map(characterAt, placeOf);

/** Halves of characters are none, and are left out. */
function characterAt(place: number): string {
  return String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES);
}

function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('this is not one character');
  return code < FIRST_SURROGATE ? code : code - SURROGATES;
}
