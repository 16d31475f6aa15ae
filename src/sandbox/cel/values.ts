/** The values of CEL. Integers are bigints, doubles are numbers. */
import type { Quantity } from '../../kit/quantity.ts';
import { CelError, noSuchOverload } from './cel-error.ts';

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly CelValue[]
  | CelMap
  | Uint
  | Timestamp
  | Duration
  | CelType
  | Optional
  | Opaque;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Both count nanoseconds. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class CelType {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export class Optional {
  readonly value: CelValue | undefined;
  constructor(value?: CelValue) {
    this.value = value;
  }
}

export const NONE = new Optional();

/** What only functions of Kubernetes know to handle. */
export class Opaque<T extends OpaqueContent = OpaqueContent> {
  readonly type: string;
  readonly content: T;
  constructor(type: string, content: T) {
    this.type = type;
    this.content = content;
  }
}

export type OpaqueContent = Quantity | URL | IpAddress | NamedFormat;

export interface IpAddress {
  readonly text: string;
  readonly family: 4 | 6;
}

export interface NamedFormat {
  readonly faults: (value: string) => readonly string[];
}

/** A map, or an object with fields: who asks for a key cannot tell the difference. */
export interface CelMap {
  readonly isMap: true;
  readonly keys: () => readonly CelValue[];
  /** Undefined where there is no such key. */
  readonly get: (key: CelValue) => CelValue | undefined;
}

export const isCelMap = (value: CelValue): value is CelMap =>
  typeof value === 'object' && value !== null && 'isMap' in value;

export const isCelList = (value: CelValue): value is readonly CelValue[] => Array.isArray(value);

const keyText = (key: CelValue): string => {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  const number = key instanceof Uint ? key.value : key;
  if (typeof number === 'bigint' || (typeof number === 'number' && Number.isInteger(number))) return `n${number}`;
  throw new CelError('unsupported key type');
};

export function mapOf(entries: Iterable<readonly [CelValue, CelValue]>): CelMap {
  const values = new Map<string, readonly [CelValue, CelValue]>();
  for (const entry of entries) {
    const text = keyText(entry[0]);
    if (values.has(text)) throw new CelError(`insert failed: key ${String(entry[0])} already exists`);
    values.set(text, entry);
  }
  return {
    isMap: true,
    keys: () => [...values.values()].map(([key]) => key),
    get: (key) => values.get(keyText(key))?.[1],
  };
}

export const sizeOf = (map: CelMap): number => map.keys().length;

const TYPES = {
  null: 'null_type',
  boolean: 'bool',
  bigint: 'int',
  number: 'double',
  string: 'string',
} as const;

export function typeOf(value: CelValue): string {
  if (value === null) return TYPES.null;
  if (typeof value !== 'object') return TYPES[typeof value as 'boolean' | 'bigint' | 'number' | 'string'];
  if (isCelList(value)) return 'list';
  if (isCelMap(value)) return 'map';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof CelType) return 'type';
  return value instanceof Optional ? 'optional_type' : value.type;
}

/** Only an optional value can be left out. */
export const noSuchOptional = (value: CelValue): CelError =>
  new CelError(`cannot initialize optional list element from non-optional value ${typeOf(value)}`);

export function asBool(value: CelValue): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}
