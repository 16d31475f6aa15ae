/** Names, label keys and label values as text: right, almost right, and at the limits of length. */
import fc from 'fast-check';
import { mutated, oneOfChars } from './mutation.ts';

const LOWER = 'abz019';
const UPPER = 'AZ';

const long = (unit: string, around: number) =>
  fc.integer({ min: around - 2, max: around + 2 }).map((length) => unit.repeat(around).slice(0, length));

const dnsLabel = fc.oneof(oneOfChars(`${LOWER}-`, 1, 8), oneOfChars(LOWER, 1, 3), long('a', 63));
const dnsName = fc.oneof(
  fc.array(dnsLabel, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
  long('a.b-c', 253),
);

const labelPart = fc.oneof(
  oneOfChars(`${LOWER}${UPPER}-_.`, 1, 8),
  oneOfChars(`${LOWER}${UPPER}`, 0, 3),
  long('A-z', 63),
);
const key = fc.oneof(
  labelPart,
  fc.tuple(dnsName, labelPart).map((parts) => parts.join('/')),
);

const ALPHABET = `${LOWER}${UPPER}-_./ é\u0130\u212a\n"\\%`;

const around = (texts: fc.Arbitrary<string>) => fc.oneof(texts, texts, mutated(texts, ALPHABET));

export const nameText = around(fc.oneof(dnsLabel, dnsName));
export const labelKeyText = around(key);
export const labelValueText = around(labelPart);
