/** Label and field selectors as text: right, and almost right. */
import fc from 'fast-check';
import { mutated, oneOfChars } from './mutation.ts';

const WORDS = ['a', 'b', 'c', 'zone', 'in', 'notin', 'example.com/a', 'A_b.c', '7', '10'];
const word = fc.constantFrom(...WORDS);
const space = fc.constantFrom('', '', '', ' ', '\t', '  ');
const join = (parts: readonly string[]) => parts.join('');

const set = fc.array(fc.oneof(word, fc.constant('')), { maxLength: 3 }).map((values) => `(${values.join(',')})`);

const requirement = fc
  .oneof(
    fc.tuple(space, word, space),
    fc.tuple(fc.constant('!'), space, word),
    fc.tuple(word, space, fc.constantFrom('=', '==', '!='), space, fc.oneof(word, fc.constant('')), space),
    fc.tuple(
      word,
      space,
      fc.constantFrom('<', '>'),
      space,
      fc.constantFrom('0', '8', '9223372036854775807', '9223372036854775808'),
    ),
    fc.tuple(word, fc.constant(' '), fc.constantFrom('in', 'notin'), space, set, space),
  )
  .map(join);

export const validSelectorText = fc.array(requirement, { maxLength: 4 }).map((terms) => terms.join(','));

export const selectorText = fc.oneof(
  validSelectorText,
  mutated(validSelectorText, 'ab1in,()=!<> \t\f\u00a0-./é'),
  oneOfChars('ai,()=!<> ', 0, 6),
);

export const someLabels = fc.dictionary(word, fc.constantFrom('', 'a', 'b', 'in', '7', '8', '10'), { maxKeys: 5 });

const fieldTerm = fc
  .tuple(word, fc.constantFrom('=', '==', '!='), oneOfChars('ab\\\\,=é', 0, 5))
  .map(([field, operator, value]) => `${field}${operator}${value.replaceAll(/[\\,=]/g, '\\$&')}`);

const validFieldSelectorText = fc.array(fieldTerm, { maxLength: 3 }).map((terms) => terms.join(','));

export const fieldSelectorText = fc.oneof(validFieldSelectorText, mutated(validFieldSelectorText, 'a\\,=!é'));
