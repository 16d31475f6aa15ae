/** Lengths of time as Go programs write them, such as `1h30m`: read strictly, kept exactly, and told to people in words. */
import { InvalidValue, quote } from './invalid-value.ts';

export interface Duration {
  /** Exact. */
  readonly nanoseconds: bigint;
  /** The same, for timers. */
  readonly milliseconds: number;
}

const MICROSECOND = 1000n;
const MILLISECOND = 1000n * MICROSECOND;
const SECOND = 1000n * MILLISECOND;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', MICROSECOND],
  ['\u00b5s', MICROSECOND], // the micro sign
  ['\u03bcs', MICROSECOND], // the Greek letter mu
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);

const LONGEST_TEXT = 128;
/** The longest duration is 2^63 - 1 nanoseconds, some 292 years; to the other side there is one more. */
const LIMIT = 2n ** 63n;

const SPELLING = 'write numbers with units, such as 90s, 1h30m or 1.5s (units: h, m, s, ms, us, ns)';

/** Reads what Go's `time.ParseDuration` reads, to the same nanosecond; throws `InvalidValue` otherwise. */
export function parseDuration(text: string): Duration {
  const fail = (why: string): never => {
    throw new InvalidValue('duration', text, why);
  };
  if (text.length > LONGEST_TEXT) fail(`it is longer than ${LONGEST_TEXT} characters`);
  const [, sign, unsigned = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (unsigned === '0') return durationOf(0n);
  if (unsigned === '') fail(SPELLING);
  const length = sumOfParts(unsigned, fail);
  if (length > (sign === '-' ? LIMIT : LIMIT - 1n)) fail('it is longer than 292 years');
  return durationOf(sign === '-' ? -length : length);
}

const durationOf = (nanoseconds: bigint): Duration => ({ nanoseconds, milliseconds: Number(nanoseconds) / 1e6 });

function sumOfParts(unsigned: string, fail: (why: string) => never): bigint {
  const part = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y;
  let sum = 0n;
  while (part.lastIndex < unsigned.length) {
    const [, whole = '', fraction = '', unitText = ''] = part.exec(unsigned) ?? [];
    if (whole + fraction === '') fail(SPELLING);
    if (unitText === '') fail(`${whole || '0'}${fraction && `.${fraction}`} has no unit; ${SPELLING}`);
    const unit = UNITS.get(unitText) ?? fail(`the unit ${quote(unitText)} is unknown; ${SPELLING}`);
    sum += BigInt(whole) * unit + fractionOf(fraction, unit);
  }
  return sum;
}

/** Go works out fractions in floating point. So do we, digit for digit, because both must agree on the nanosecond. */
function fractionOf(digits: string, unit: bigint): bigint {
  const { numerator, scale } = leadingFraction(digits);
  return BigInt(Math.trunc(Number(numerator) * (Number(unit) / scale)));
}

/** As many digits as fit into 63 bits; what follows is too small to matter. */
function leadingFraction(digits: string): { numerator: bigint; scale: number } {
  let [numerator, scale] = [0n, 1];
  for (const digit of digits) {
    const longer = numerator * 10n + BigInt(digit);
    if (longer > LIMIT) break;
    [numerator, scale] = [longer, scale * 10];
  }
  return { numerator, scale };
}

/** Writes nanoseconds as Go's `Duration.String` does, such as `1h30m0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < MICROSECOND) return `${nanoseconds}ns`;
  if (nanoseconds < MILLISECOND) return `${decimal(nanoseconds, 3)}µs`;
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, 6)}ms`;
  const hours = nanoseconds >= HOUR ? `${nanoseconds / HOUR}h` : '';
  const minutes = nanoseconds >= MINUTE ? `${(nanoseconds % HOUR) / MINUTE}m` : '';
  return `${hours}${minutes}${decimal(nanoseconds % MINUTE, 9)}s`;
}

/** The number divided by 10 to the power of `places`, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const fraction = `${value % scale}`.padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}

const WORDS = [
  { word: 'd', ms: 86_400_000 },
  { word: 'h', ms: 3_600_000 },
  { word: 'min', ms: 60_000 },
  { word: 's', ms: 1000 },
  { word: 'ms', ms: 1 },
];

/** For messages: the two largest units that say something, such as `2 min 3 s`. Less is left out, never rounded up. */
export function describeDuration(milliseconds: number): string {
  if (milliseconds < 0) return `-${describeDuration(-milliseconds)}`;
  const first = WORDS.findIndex(({ ms }) => milliseconds >= ms);
  if (first === -1) return milliseconds === 0 ? '0 s' : 'less than 1 ms';
  let rest = milliseconds;
  const said = WORDS.slice(first, first + 2).map(({ word, ms }) => {
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    return count === 0 ? '' : `${count} ${word}`;
  });
  return said.filter((part) => part !== '').join(' ');
}
