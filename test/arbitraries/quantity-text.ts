/** Quantities as text: well formed, almost well formed, and not at all. */
import fc from 'fast-check';
import { mutated, oneOfChars } from './mutation.ts';

const QUANTITY_SUFFIXES = ['', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const digits = (minLength: number, maxLength: number) =>
  fc.oneof(
    oneOfChars('0123456789', minLength, Math.min(4, maxLength)),
    oneOfChars('0123456789', minLength, maxLength),
    fc.tuple(oneOfChars('12345', 1, 2), fc.constantFrom('0', '00', '000', '000000')).map((parts) => parts.join('')),
    fc.integer({ min: 0, max: 10 }).map((power) => String(1024 ** (power % 4))),
  );

const suffix = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...QUANTITY_SUFFIXES) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('e', 'E'), fc.integer({ min: -14, max: 24 })).map((parts) => parts.join('')),
  },
);

const sign = fc.constantFrom('', '', '', '+', '-');

/** Where one rule of reading or writing ends and the next begins, which random digits hardly ever hit. */
const edge = fc.constantFrom(
  { whole: '0', fraction: '9765625', suffix: 'Ki' }, // a thousand bytes, less than the first binary suffix
  { whole: '0', fraction: '0009765625', suffix: 'Ki' }, // one
  { whole: '8', fraction: '', suffix: 'Ei' }, // the cap
  { whole: '7', fraction: '999999999999999999', suffix: 'Ei' },
  { whole: '9223372036854775807', fraction: '', suffix: '' },
  { whole: '0', fraction: '0000000001', suffix: '' }, // a tenth of the finest step
);

export const quantityParts = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      sign,
      whole: digits(1, 22),
      fraction: fc.oneof(fc.constant(''), fc.constant(''), digits(1, 22)),
      suffix,
    }),
  },
  { weight: 1, arbitrary: fc.tuple(sign, edge).map(([sign, parts]) => ({ sign, ...parts })) },
);

export type QuantityParts = typeof quantityParts extends fc.Arbitrary<infer T> ? T : never;

export const spell = ({ sign, whole, fraction, suffix }: QuantityParts): string =>
  `${sign}${whole}${fraction && `.${fraction}`}${suffix}`;

export const validQuantityText = quantityParts.map(spell);

const ALPHABET = '0123456789..+-eEinumkKMGTPi a_\u0085\u00a0\u2003\ufeff';

const numberless = fc.tuple(sign, fc.constantFrom('', '.'), suffix).map((parts) => parts.join(''));

export const quantityText = fc.oneof(
  { weight: 4, arbitrary: validQuantityText },
  { weight: 4, arbitrary: mutated(validQuantityText, ALPHABET) },
  { weight: 1, arbitrary: oneOfChars(ALPHABET, 0, 5) },
  { weight: 1, arbitrary: numberless },
);
