import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type QuantityParts,
  quantityParts,
  quantityText,
  spell,
  validQuantityText,
} from '../../test/arbitraries/quantity-text.ts';
import { InvalidValue } from './invalid-value.ts';
import { Quantity, roundUpToMultiple } from './quantity.ts';

const canonical = (text: string) => Quantity.parse(text).toString();
const quantities = validQuantityText.map((text) => Quantity.parse(text));

describe('a quantity', () => {
  it.each([
    ['1024Mi', '1Gi'],
    ['0.5', '500m'],
    ['1.5Gi', '1536Mi'],
    ['1000', '1k'],
    ['1100', '1100'],
    ['1024', '1024'],
    ['1023Ki', '1023Ki'],
    ['0.5Ki', '512'],
    ['0.9765625Ki', '1k'],
    ['1.1Ki', '1126400m'],
    ['12e6', '12e6'],
    ['12E6', '12e6'],
    ['120e5', '12e6'],
    ['1e0', '1'],
    ['1E', '1E'],
    ['-1500m', '-1500m'],
    ['-0', '0'],
    ['+007', '7'],
    ['.5', '500m'],
    ['5.', '5'],
    ['0Ki', '0'],
  ])('written %s has the canonical form %s', (written, expected) => {
    expect(canonical(written)).toBe(expected);
  });

  it.each([
    ['0.1n', '1n'],
    ['0.0000000011', '2n'],
    ['-0.1n', '-1n'],
    ['1e-30', '1e-9'],
    ['0.0000000001Ki', '103n'],
  ])('finer than a billionth, such as %s, is rounded away from zero to %s', (written, expected) => {
    expect(canonical(written)).toBe(expected);
  });

  it('with a binary suffix is capped at 2^63-1, and with any other is not', () => {
    expect(canonical('8Ei')).toBe('9223372036854775807');
    expect(canonical('-9Ei')).toBe('-9223372036854775807');
    expect(Quantity.parse('10E').compare(Quantity.parse('8Ei'))).toBe(1);
  });

  it('beyond the largest suffix still says its value', () => {
    expect(canonical('1000E')).toBe('1000E');
    expect(canonical('1000000000000E')).toBe('1000000000000E');
    expect(Quantity.parse('7Ei').plus(Quantity.parse('7Ei')).toString()).toBe('16140901064495857664');
  });

  it('is read from between spaces', () => {
    expect(canonical(' \u0085 5Gi\u00a0')).toBe('5Gi');
    expect(() => canonical('\ufeff5Gi')).toThrow(InvalidValue);
  });

  it.each(['+', '.', 'k', '-Gi', '.Ti', 'e3', 'n'])('without a number, as in %s, is zero', (written) => {
    expect(canonical(written)).toBe('0');
  });

  const NONE = ['', ' ', 'Pi', '-Ei', 'e-10', '1.1.1', '1i', '1KI', '1 Gi', '0x10', '1e', '1e+', '1Ee3', '--1', '\t1'];
  it.each(NONE)('is not read from %j', (written) => {
    expect(() => Quantity.parse(written)).toThrow(InvalidValue);
  });

  it.each([
    ['5GB', /^"5GB" is not a quantity: the suffix "GB" is unknown; .* \(Gi counts in 1024s, G in 1000s\)$/],
    ['5K', /\(Ki counts in 1024s, k in 1000s\)$/],
    [
      '1.5Zi',
      /the suffix "Zi" is unknown; use one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3$/,
    ],
    ['five', /write a number and a suffix, such as 10Gi/],
    ['Ei', /the number is missing before the suffix/],
  ])('that is wrong, such as %s, is explained', (written, explanation) => {
    expect(() => Quantity.parse(written)).toThrow(explanation);
  });

  it('that is hostile is refused at once, and quoted in part', () => {
    expect(() => Quantity.parse('9'.repeat(1_000_000))).toThrow(/"9{80}"… \(1000000 characters\) is not a quantity/);
    expect(() => Quantity.parse('1e-2000000000')).toThrow(/exponent/);
    expect(() => Quantity.parse(`1e${'9'.repeat(200)}`)).toThrow(/exponent/);
  });

  it('never fails with anything but an explanation', () => {
    fc.assert(
      fc.property(fc.oneof(quantityText, fc.string()), (text) => {
        try {
          Quantity.parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
        }
      }),
    );
  });

  it('is the least billionth that is not less than the fraction that was written', () => {
    fc.assert(
      fc.property(quantityParts.filter(isBelowCap), (parts) => {
        const { numerator, denominator } = fractionOf(parts);
        const nano = Quantity.parse(spell({ ...parts, sign: '' })).nano;
        expect(nano * denominator >= numerator * 10n ** 9n).toBe(true);
        expect((nano - 1n) * denominator < numerator * 10n ** 9n).toBe(true);
        expect(Quantity.parse(spell({ ...parts, sign: '-' })).nano).toBe(-nano);
      }),
    );
  });

  it('reads back from its canonical form, which is canonical', () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        const again = Quantity.parse(quantity.toString());
        expect(again.nano).toBe(quantity.nano);
        expect(again.toString()).toBe(quantity.toString());
        expect(JSON.stringify({ quantity })).toBe(`{"quantity":"${quantity}"}`);
      }),
    );
  });

  it('has a canonical form without a fraction, with the largest suffix that is exact', () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        const [, number = '', suffix = ''] =
          /^-?([1-9][0-9]*|0)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|e-?[0-9]+|)$/.exec(`${quantity}`) ?? [];
        expect(number).not.toBe('');
        if (suffix === 'E' || suffix === 'Ei' || number === '0') return;
        const step = suffix === '' ? 128_000n : suffix.endsWith('i') ? 1024n : 1000n; // the first divides by both others
        expect(BigInt(number) % step).not.toBe(0n);
      }),
    );
  });

  it('is ordered by value', () => {
    fc.assert(
      fc.property(quantityParts.filter(isCoarse), quantityParts.filter(isCoarse), (a, b) => {
        const [x, y] = [fractionOf(a), fractionOf(b)];
        const order = x.numerator * y.denominator - y.numerator * x.denominator;
        const compared = Quantity.parse(spell({ ...a, sign: '' })).compare(Quantity.parse(spell({ ...b, sign: '' })));
        expect(compared).toBe(order === 0n ? 0 : order < 0n ? -1 : 1);
      }),
    );
  });

  it('adds and subtracts exactly', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(a.plus(b).nano).toBe(a.nano + b.nano);
        expect(a.plus(b).minus(b).equals(a)).toBe(true);
        expect(a.minus(a).toString()).toBe('0');
      }),
    );
  });

  it('keeps its way of writing in a sum, unless it is zero', () => {
    expect(Quantity.parse('1Gi').plus(Quantity.parse('1024M')).toString()).toBe('2048576Ki');
    expect(Quantity.parse('0').plus(Quantity.parse('1Gi')).toString()).toBe('1Gi');
    // Half a byte is a decimal quantity, whatever its suffix.
    expect(Quantity.parse('0.00048828125Ki').plus(Quantity.parse('1048575.5')).toString()).toBe('1048576');
    expect(Quantity.parse('1k').minus(Quantity.parse('1Ki')).toString()).toBe('-24');
  });

  it('counts whole bytes upwards', () => {
    expect(Quantity.parse('1.2').toBytesCeil()).toBe(2n);
    expect(Quantity.parse('10Gi').toBytesCeil()).toBe(10_737_418_240n);
    expect(Quantity.parse('1n').toBytesCeil()).toBe(1n);
    expect(Quantity.parse('-1.5').toBytesCeil()).toBe(-1n);
    expect(Quantity.ofBytes(4096n).toString()).toBe('4Ki');
  });

  it('rounds up to whole extents', () => {
    const extent = 4n * 1024n ** 2n;
    expect(Quantity.parse('10Mi').roundUpTo(extent).toString()).toBe('12Mi');
    expect(Quantity.parse('12Mi').roundUpTo(extent).toString()).toBe('12Mi');
    expect(Quantity.parse('1m').roundUpTo(extent).toBytesCeil()).toBe(extent);
    expect(() => Quantity.parse('1Gi').roundUpTo(0n)).toThrow(RangeError);
  });

  it('is rounded up to the nearest multiple, by less than one', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n }), (value, step) => {
        const rounded = roundUpToMultiple(value, step);
        expect(rounded % step).toBe(0n);
        expect(rounded >= value && rounded - value < step).toBe(true);
      }),
    );
  });
});

const POWERS_OF_1024 = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const POWERS_OF_1000 = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** What was written, as a fraction of whole numbers, without the sign: worked out apart from the code under test. */
function fractionOf({ whole, fraction, suffix }: QuantityParts): { numerator: bigint; denominator: bigint } {
  const binary = suffix.endsWith('i') ? 1024n ** BigInt(POWERS_OF_1024.indexOf(suffix)) : 1n;
  const power = /^[eE]-?[0-9]/.test(suffix) ? Number(suffix.slice(1)) : decimalPower(suffix);
  const [up, down] = power >= 0 ? [10n ** BigInt(power), 1n] : [1n, 10n ** BigInt(-power)];
  const digits = [...(whole + fraction)].reduce((sum, digit) => sum * 10n + BigInt(digit), 0n);
  return { numerator: digits * binary * up, denominator: 10n ** BigInt(fraction.length) * down };
}

const decimalPower = (suffix: string) => (suffix.endsWith('i') ? 0 : 3 * POWERS_OF_1000.indexOf(suffix) - 9);

function isBelowCap(parts: QuantityParts): boolean {
  const { numerator, denominator } = fractionOf(parts);
  return !parts.suffix.endsWith('i') || numerator <= (2n ** 63n - 1n) * denominator;
}

/** Has no digits that are rounded away, so that reading keeps the order. */
function isCoarse(parts: QuantityParts): boolean {
  const { numerator, denominator } = fractionOf(parts);
  return isBelowCap(parts) && (numerator * 10n ** 9n) % denominator === 0n;
}
