/** `'%s'.format([…])`. */
import { CelError, CelUnsupported } from '../cel-error.ts';
import { durationText, timestampText } from '../times.ts';
import { CelType, type CelValue, Duration, isCelList, isCelMap, Timestamp, typeOf, Uint } from '../values.ts';

export function formatted(pattern: string, args: readonly CelValue[]): string {
  let next = 0;
  return pattern.replace(/%(?:%|(?:\.(\d+))?([sdfeboxX])|.?)/gs, (clause, precision?: string, letter?: string) => {
    if (clause === '%%') return '%';
    if (letter === undefined)
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${clause.slice(1)}"`);
    const value = args[next];
    if (value === undefined) throw new CelError(`index ${next} out of range`);
    next += 1;
    return one(letter, value, precision === undefined ? 6 : Number(precision));
  });
}

function one(letter: string, value: CelValue, precision: number): string {
  if (letter === 's') return textOf(value);
  const number = value instanceof Uint ? value.value : value;
  if (letter === 'e') throw new CelUnsupported('the sandbox does not know how the server writes %e');
  if (letter === 'f') {
    if (typeof number !== 'number' && typeof number !== 'bigint') throw unfit(letter, value);
    return Number(number).toFixed(precision);
  }
  if (letter === 'd' && typeof number === 'bigint') return String(number);
  if (letter === 'b' && (typeof number === 'bigint' || typeof number === 'boolean')) return BigInt(number).toString(2);
  if (letter === 'o' && typeof number === 'bigint') return number.toString(8);
  if ((letter === 'x' || letter === 'X') && (typeof number === 'bigint' || typeof number === 'string'))
    return hex(number, letter);
  throw unfit(letter, value);
}

function hex(value: bigint | string, letter: 'x' | 'X' | string): string {
  const digits = typeof value === 'bigint' ? value.toString(16) : Buffer.from(value).toString('hex');
  return letter === 'X' ? digits.toUpperCase() : digits;
}

const unfit = (letter: string, value: CelValue): CelError =>
  new CelError(`error during formatting: %${letter} clause is not valid for ${typeOf(value)}`);

function textOf(value: CelValue): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return String(value);
  if (isCelList(value)) return `[${value.map(textOf).join(', ')}]`;
  if (isCelMap(value)) {
    const entries = value.keys().map((key) => [textOf(key), textOf(value.get(key) ?? null)] as const);
    return `{${entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => `${key}: ${each}`)
      .join(', ')}}`;
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof CelType) return value.name;
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  throw unfit('s', value);
}
