/** Fields and members of values, and whether they are there. What is asked of an optional value is optional again. */
import { CelError, noSuchOverload } from './cel-error.ts';
import { type CelValue, isCelList, isCelMap, NONE, Optional } from './values.ts';

export function select(target: CelValue, field: string): CelValue {
  if (target instanceof Optional) return optionally(target, field);
  return found(target, field);
}

/** What has no keys at all has not this one either. */
function found(target: CelValue, key: CelValue): CelValue {
  const value = isCelMap(target) ? target.get(key) : undefined;
  if (value === undefined) throw new CelError(`no such key: ${keyText(key)}`);
  return value;
}

const keyText = (key: CelValue): string =>
  typeof key === 'object' && key !== null && 'value' in key ? String(key.value) : String(key);

export function index(target: CelValue, key: CelValue): CelValue {
  if (target instanceof Optional) return optionally(target, key);
  if (!isCelList(target)) return found(target, key);
  const place = placeOf(key);
  const value = target[place];
  if (value === undefined) throw new CelError(`index out of bounds: ${place}`);
  return value;
}

function placeOf(key: CelValue): number {
  if (typeof key === 'bigint') return Number(key);
  if (typeof key === 'number' && Number.isInteger(key)) return key;
  throw noSuchOverload();
}

/** `target.?field`, `target[?key]`. */
export function optionally(target: CelValue, key: CelValue): Optional {
  if (target instanceof Optional) return target.value === undefined ? NONE : optionally(target.value, key);
  const value = isCelMap(target) ? target.get(key) : isCelList(target) ? target[placeOf(key)] : undefined;
  return value === undefined ? NONE : new Optional(value);
}

/** `has(target.field)`. */
export function isThere(target: CelValue, field: string): boolean {
  if (target instanceof Optional) return target.value !== undefined && isThere(target.value, field);
  return isCelMap(target) && target.get(field) !== undefined;
}
