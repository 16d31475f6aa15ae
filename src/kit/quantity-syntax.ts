/**
 * How a quantity is written. Reads exactly what the API server reads, and writes the canonical form.
 * A quantity is kept as a whole number of billionths ("nano"), the finest step that Kubernetes knows.
 */
import { InvalidValue, quote } from './invalid-value.ts';

/** Which family of suffixes a quantity was written in. It is written in the same one again. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Amount {
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

/** The value that one unit of a suffix stands for is `base` to the power of `exponent`. */
interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** How many nano make one. */
export const NANO = 10n ** 9n;
const NANO_DIGITS = 9;

/** The server has no such limits, and a short text can then cost it minutes and gigabytes. No real quantity comes near them. */
const LONGEST_TEXT = 256;
const LARGEST_EXPONENT = 1000;

/** A larger quantity with a binary suffix is read as this one. Other formats have no such cap. */
const LARGEST_BINARY = (2n ** 63n - 1n) * NANO;

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const LARGEST_DECIMAL_SUFFIX = 18;

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ...BINARY_SUFFIXES.map((text, i): [string, Suffix] => [text, { base: 2, exponent: 10 * i, format: 'BinarySI' }]),
  ...DECIMAL_SUFFIXES.map((text, i): [string, Suffix] => [
    text,
    { base: 10, exponent: 3 * i - 9, format: 'DecimalSI' },
  ]),
]);

const SHAPE = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const EXPONENT = /^[eE]([-+]?[0-9]+)$/;

/** The spaces that the server drops around a quantity. Tabs and line ends reach it escaped in JSON, and so it does not read them. */
const SPACES = '[ \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const SPACES_AROUND = new RegExp(`^${SPACES}|${SPACES}$`, 'g');

/** Reads a quantity as the API server does, or throws `InvalidValue`. Digits finer than a nano are rounded up, away from zero. */
export function readAmount(text: string): Amount {
  const fail = (why: string): never => {
    throw new InvalidValue('quantity', text, why);
  };
  if (text.length > LONGEST_TEXT) fail(`it is longer than ${LONGEST_TEXT} characters`);
  const spelled = text.replace(SPACES_AROUND, '');
  const match = SHAPE.exec(spelled);
  if (spelled === '' || !match) return fail(explainShape(spelled));
  const [, sign, whole = '', fraction = '', suffixText = ''] = match;
  const suffix = readSuffix(suffixText) ?? fail(explainSuffix(suffixText));
  if (Math.abs(suffix.exponent) > LARGEST_EXPONENT) fail(`its exponent is beyond ${LARGEST_EXPONENT}`);
  const digits = whole + fraction;
  if (digits === '' && !meansZeroAlone(suffix)) fail('the number is missing before the suffix');
  const amount = amountOf(BigInt(digits), fraction.length, suffix);
  return sign === '-' ? { ...amount, nano: -amount.nano } : amount;
}

function readSuffix(text: string): Suffix | undefined {
  const exponent = EXPONENT.exec(text)?.[1];
  if (exponent === undefined) return SUFFIXES.get(text);
  return { base: 10, exponent: Number(exponent), format: 'DecimalExponent' };
}

/** The server reads most suffixes without a number as zero. Kept, because what it accepts is ours to understand. */
const meansZeroAlone = ({ base, exponent }: Suffix): boolean =>
  base === 10 ? exponent >= -NANO_DIGITS : exponent <= 40;

function amountOf(digits: bigint, decimals: number, { base, exponent, format }: Suffix): Amount {
  const magnitude = base === 2 ? digits << BigInt(exponent) : digits;
  const shift = NANO_DIGITS - decimals + (base === 10 ? exponent : 0);
  const nano = shift >= 0 ? magnitude * 10n ** BigInt(shift) : divideUp(magnitude, 10n ** BigInt(-shift));
  if (format !== 'BinarySI') return { nano, format };
  if (nano > LARGEST_BINARY) return { nano: LARGEST_BINARY, format };
  return { nano, format: nano > 0n && nano < NANO ? 'DecimalSI' : format };
}

/** The least whole number that is not less than the quotient. The divisor must be positive. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend > quotient * divisor ? quotient + 1n : quotient;
}

function explainShape(text: string): string {
  const suffix = /^[-+]?[0-9.]+([a-z]+)$/i.exec(text)?.[1];
  if (suffix !== undefined) return explainSuffix(suffix);
  return 'write a number and a suffix, such as 10Gi, 1.5G, 500m or 3e6';
}

function explainSuffix(text: string): string {
  const known = `the suffix ${quote(text)} is unknown; use one of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3`;
  const letter = /^([kmgtpe])i?[bB]?$/i.exec(text)?.[1]?.toUpperCase();
  if (letter === undefined) return known;
  return `${known} (${letter}i counts in 1024s, ${letter === 'K' ? 'k' : letter} in 1000s)`;
}

/**
 * The canonical form: no fraction, the largest suffix that loses nothing. It always reads back as the same value, also
 * where the server's own form does not (from 1000E on, the server drops the suffix and writes a wrong number).
 */
export function writeAmount({ nano, format }: Amount): string {
  if (nano === 0n) return '0';
  if (format === 'BinarySI' && fitsBinary(nano)) return writeBinary(nano / NANO);
  return writeDecimal(nano, format === 'DecimalExponent');
}

function fitsBinary(nano: bigint): boolean {
  const magnitude = nano < 0n ? -nano : nano;
  return magnitude % NANO === 0n && magnitude >= 1024n * NANO && magnitude <= LARGEST_BINARY;
}

function writeBinary(value: bigint): string {
  let [rest, step] = [value, 0];
  for (; rest % 1024n === 0n; step += 1) rest /= 1024n;
  return `${rest}${BINARY_SUFFIXES[step]}`;
}

function writeDecimal(nano: bigint, asExponent: boolean): string {
  let [rest, exponent] = [nano, -NANO_DIGITS];
  for (; rest % 1000n === 0n && (asExponent || exponent < LARGEST_DECIMAL_SUFFIX); exponent += 3) rest /= 1000n;
  if (!asExponent) return `${rest}${DECIMAL_SUFFIXES[(exponent + NANO_DIGITS) / 3]}`;
  return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
}
