/** Conversions from one type to another, and what can be asked of times. */
import { CelError, noSuchOverload } from '../cel-error.ts';
import { durationFrom, durationText, timestampFrom, timestampText } from '../times.ts';
import {
  CelType,
  type CelValue,
  Duration,
  isCelList,
  isCelMap,
  Opaque,
  sizeOf,
  Timestamp,
  typeOf,
  Uint,
} from '../values.ts';
import { anything, type Library, taking, text } from './arguments.ts';

const unconvertible = (type: string): CelError => new CelError(`type conversion error from 'string' to '${type}'`);

const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

const of1 = (convert: (value: CelValue) => CelValue) => taking([1], (args) => convert(anything(args, 0)));

const size = of1((value) => {
  if (typeof value === 'string') return BigInt(Array.from(value).length);
  if (isCelList(value) || value instanceof Uint8Array) return BigInt(value.length);
  if (isCelMap(value)) return BigInt(sizeOf(value));
  throw noSuchOverload();
});

export const CONVERSIONS: Library = {
  size,
  dyn: of1((value) => value),
  type: of1((value) => new CelType(typeOf(value))),
  string: of1(toText),
  int: of1(toInt),
  uint: of1((value) => new Uint(bounded(whole(value), 0n, 2n ** 64n - 1n))),
  double: of1((value) => {
    const number =
      typeof value === 'string' ? parsed(value, Number(value)) : value instanceof Uint ? value.value : value;
    if (typeof number !== 'number' && typeof number !== 'bigint') throw noSuchOverload();
    return Number(number);
  }),
  bool: of1((value) => {
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'string') throw noSuchOverload();
    if (/^(1|t|true|T|TRUE|True)$/.test(value)) return true;
    if (/^(0|f|false|F|FALSE|False)$/.test(value)) return false;
    throw unconvertible('bool');
  }),
  bytes: of1((value) => (value instanceof Uint8Array ? value : new TextEncoder().encode(text([value], 0)))),
  timestamp: of1((value) => {
    if (value instanceof Timestamp) return value;
    if (typeof value === 'bigint') return new Timestamp(value * 1_000_000_000n);
    const time = timestampFrom(text([value], 0));
    if (time === undefined) throw unconvertible('google.protobuf.Timestamp');
    return time;
  }),
  duration: of1((value) => {
    if (value instanceof Duration) return value;
    const span = durationFrom(text([value], 0));
    if (span === undefined) throw unconvertible('google.protobuf.Duration');
    return span;
  }),
};

export const CONVERSION_METHODS: Library = {
  size,
  getSeconds: taking(
    [1, 2],
    timePart((date) => date.getUTCSeconds(), 1_000_000_000n),
  ),
  getMinutes: taking(
    [1, 2],
    timePart((date) => date.getUTCMinutes(), 60_000_000_000n),
  ),
  getHours: taking(
    [1, 2],
    timePart((date) => date.getUTCHours(), 3_600_000_000_000n),
  ),
  getFullYear: taking(
    [1],
    timePart((date) => date.getUTCFullYear()),
  ),
  getMonth: taking(
    [1],
    timePart((date) => date.getUTCMonth()),
  ),
  getDate: taking(
    [1],
    timePart((date) => date.getUTCDate()),
  ),
  getDayOfMonth: taking(
    [1],
    timePart((date) => date.getUTCDate() - 1),
  ),
  getDayOfWeek: taking(
    [1],
    timePart((date) => date.getUTCDay()),
  ),
};

/** Of a duration it is the whole of it in that unit. Times in other zones than UTC are not known here. */
function timePart(part: (date: Date) => number, unit?: bigint): Library[string] {
  return ([value, ...zone]) => {
    if (zone.length > 0) throw noSuchOverload();
    if (value instanceof Timestamp) return BigInt(part(new Date(Number(value.nanos / 1_000_000n))));
    if (value instanceof Duration && unit !== undefined) return value.nanos / unit;
    throw noSuchOverload();
  };
}

function toText(value: CelValue): CelValue {
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Opaque) return 'text' in value.content ? value.content.text : String(value.content);
  if (typeof value === 'object') throw noSuchOverload();
  return String(value);
}

function toInt(value: CelValue): bigint {
  if (value instanceof Timestamp) return value.nanos / 1_000_000_000n;
  return bounded(whole(value), SMALLEST, LARGEST);
}

function whole(value: CelValue): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new CelError('integer overflow');
    return BigInt(Math.trunc(value));
  }
  if (typeof value !== 'string') throw noSuchOverload();
  if (!/^[+-]?\d+$/.test(value)) throw unconvertible('int');
  return BigInt(value.replace(/^\+/, ''));
}

function bounded(value: bigint, least: bigint, most: bigint): bigint {
  if (value < least || value > most) throw new CelError('integer overflow');
  return value;
}

function parsed(value: string, number: number): number {
  if (value.trim() === '' || Number.isNaN(number)) {
    throw unconvertible('double');
  }
  return number;
}
