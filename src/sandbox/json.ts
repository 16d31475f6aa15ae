/** JSON as the sandbox keeps it: values that are never changed in place. */

export type Json = null | boolean | number | string | readonly Json[] | JsonMap;

export interface JsonMap {
  readonly [key: string]: Json;
}

export const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Fields may be called `constructor` or `__proto__`. */
export const own = (map: JsonMap, key: string): Json | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);

/** Whether two values are the same, in whatever order the keys of their maps stand. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((each, index) => same(each, b[index]));
  return isMap(a) && isMap(b) && sameMaps(a, b);
}

function sameMaps(a: JsonMap, b: JsonMap): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/**
 * The same value, made of the parts of another one as far as they are alike to the order of their keys. What both have is then one and
 * the same, which every comparison after that sees at once.
 */
export function sharing(value: Json, other: Json | undefined): Json {
  if (value === other) return value;
  if (isList(value)) return isList(other) ? sharedList(value, other) : value;
  return isMap(value) && isMap(other) ? sharedMap(value, other) : value;
}

function sharedList(value: readonly Json[], other: readonly Json[]): readonly Json[] {
  const shared = value.map((each, index) => sharing(each, other[index]));
  return shared.length === other.length && shared.every((each, index) => each === other[index]) ? other : shared;
}

/** Copied only if some of it is the other's: what is no plain map, such as a raw number, stays what it is. */
function sharedMap(value: JsonMap, other: JsonMap): JsonMap {
  const keys = Object.keys(value);
  const others = Object.keys(other);
  let isAlike = keys.length === others.length;
  let shared: Record<string, Json> | undefined;
  let index = 0;
  for (const key of keys) {
    const mine = value[key] as Json;
    const part = sharing(mine, own(other, key));
    if (part !== mine) {
      shared ??= { ...value };
      shared[key] = part;
    }
    isAlike &&= key === others[index++] && part === other[key];
  }
  return isAlike ? other : (shared ?? value);
}
