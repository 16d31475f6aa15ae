/** When two values are equal, and which of two is the smaller. */
import { Quantity } from '../../kit/quantity.ts';
import { noSuchOverload } from './cel-error.ts';
import { keyOfMember, listKindOf } from './lists.ts';
import {
  type CelMap,
  CelType,
  type CelValue,
  Duration,
  isCelList,
  isCelMap,
  Opaque,
  Optional,
  Timestamp,
  Uint,
} from './values.ts';

/** Values of different types are unequal; numbers are compared as numbers. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  const [left, right] = [numberOf(a), numberOf(b)];
  // biome-ignore lint/suspicious/noDoubleEquals: numbers of two kinds are compared by their value
  if (left !== undefined && right !== undefined) return left == right;
  if (isCelList(a)) return isCelList(b) && equalLists(a, b);
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return false;
  if (isCelMap(a)) return isCelMap(b) && equalMaps(a, b);
  return equalObjects(a, b);
}

function equalObjects(a: CelValue, b: CelValue): boolean {
  if (a instanceof Optional && b instanceof Optional) {
    return a.value === undefined || b.value === undefined ? a.value === b.value : equal(a.value, b.value);
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp && b instanceof Timestamp) return a.nanos === b.nanos;
  if (a instanceof Duration && b instanceof Duration) return a.nanos === b.nanos;
  if (a instanceof CelType && b instanceof CelType) return a.name === b.name;
  return a instanceof Opaque && b instanceof Opaque && equalContents(a, b);
}

function equalContents({ content: a }: Opaque, { content: b }: Opaque): boolean {
  if (a instanceof Quantity && b instanceof Quantity) return a.equals(b);
  if (a instanceof URL && b instanceof URL) return a.href === b.href;
  return 'text' in a && 'text' in b && a.text === b.text;
}

/** The order of a set, or of a list with keys, says nothing. */
function equalLists(a: readonly CelValue[], b: readonly CelValue[]): boolean {
  if (a.length !== b.length) return false;
  const kind = listKindOf(a) ?? listKindOf(b);
  if (kind === undefined) return a.every((each, index) => equal(each, b[index] ?? null));
  if (kind.type === 'set') return a.every((each) => b.some((other) => equal(each, other)));
  return a.every((each) =>
    b.some((other) => keyOfMember(each, kind) === keyOfMember(other, kind) && equal(each, other)),
  );
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  const keys = a.keys();
  if (keys.length !== b.keys().length) return false;
  return keys.every((key) => {
    const [left, right] = [a.get(key), b.get(key)];
    return left !== undefined && right !== undefined && equal(left, right);
  });
}

function numberOf(value: CelValue): bigint | number | undefined {
  if (value instanceof Uint) return value.value;
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

/** Negative, zero or positive; throws for what has no order. */
export function compare(a: CelValue, b: CelValue): number {
  const [left, right] = [orderOf(a), orderOf(b)];
  if (left === undefined || right === undefined || left.kind !== right.kind) throw noSuchOverload();
  if (left.value < right.value) return -1;
  return left.value > right.value ? 1 : 0;
}

function orderOf(value: CelValue): { readonly kind: string; readonly value: bigint | number | string } | undefined {
  const number = numberOf(value);
  if (number !== undefined) return { kind: 'number', value: number };
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'boolean') return { kind: 'bool', value: Number(value) };
  if (value instanceof Timestamp) return { kind: 'timestamp', value: value.nanos };
  if (value instanceof Duration) return { kind: 'duration', value: value.nanos };
  if (value instanceof Uint8Array) return { kind: 'bytes', value: Buffer.from(value).toString('latin1') };
  return undefined;
}
