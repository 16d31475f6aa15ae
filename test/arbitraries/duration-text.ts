/** Durations as text: right, and almost right. */
import fc from 'fast-check';
import { mutated, oneOfChars } from './mutation.ts';

const number = fc.oneof(
  oneOfChars('0123456789', 1, 3),
  fc.tuple(oneOfChars('0123456789', 0, 4), oneOfChars('0123456789', 1, 22)).map((parts) => parts.join('.')),
  oneOfChars('0123456789', 10, 21),
);
const part = fc
  .tuple(number, fc.constantFrom('ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'))
  .map((parts) => parts.join(''));

const validDurationText = fc
  .tuple(fc.constantFrom('', '', '-', '+'), fc.array(part, { minLength: 1, maxLength: 3 }))
  .map(([sign, parts]) => sign + parts.join(''));

export const durationText = fc.oneof(
  validDurationText,
  mutated(validDurationText, '0123456789.-+nuµmshd '),
  oneOfChars('01.-+msh', 0, 4),
);
