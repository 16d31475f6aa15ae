/** Quantities as text: well formed, almost well formed, and not at all. */
import fc from 'fast-check';
import { mutated, oneOfChars } from './mutation.ts';

export const QUANTITY_SUFFIXES = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const digits = (minLength: number, maxLength: number) =>
  fc.oneof(
    oneOfChars('0123456789', minLength, Math.min(4, maxLength)),
    oneOfChars('0123456789', minLength, maxLength),
    fc.tuple(oneOfChars('12345', 1, 2), fc.constantFrom('0', '00', '000', '000000')).map((parts) => parts.join('')),
    fc.integer({ min: 0, max: 10 }).map((power) => String(1024 ** (power % 4))),
  );

export const quantityParts = fc.record({
  sign: fc.constantFrom('', '', '', '+', '-'),
  whole: digits(1, 22),
  fraction: fc.oneof(fc.constant(''), fc.constant(''), digits(1, 22)),
  suffix: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...QUANTITY_SUFFIXES) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom('e', 'E'), fc.integer({ min: -14, max: 24 })).map((parts) => parts.join('')),
    },
  ),
});

export type QuantityParts = typeof quantityParts extends fc.Arbitrary<infer T> ? T : never;

export const spell = ({ sign, whole, fraction, suffix }: QuantityParts): string =>
  `${sign}${whole}${fraction && `.${fraction}`}${suffix}`;

export const validQuantityText = quantityParts.map(spell);

const ALPHABET = '0123456789..+-eEinumkKMGTPi a_';

export const quantityText = fc.oneof(
  validQuantityText,
  mutated(validQuantityText, ALPHABET),
  oneOfChars(ALPHABET, 0, 5),
);
