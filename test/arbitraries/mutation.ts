/** Texts that are almost right: the ones on which two readers are most likely to disagree. */
import fc from 'fast-check';

/** A few characters of `alphabet` inserted, replaced, dropped or doubled. */
export function mutated(texts: fc.Arbitrary<string>, alphabet: string): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), cut: fc.constantFrom(0, 0, 1, 2), put: oneOfChars(alphabet, 0, 2) });
  return fc
    .tuple(texts, fc.array(edit, { minLength: 1, maxLength: 2 }))
    .map(([text, edits]) => edits.reduce(apply, text));
}

function apply(text: string, edit: { at: number; cut: number; put: string }): string {
  const place = edit.at % (text.length + 1);
  return text.slice(0, place) + edit.put + text.slice(place + edit.cut);
}

export function oneOfChars(alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
}
