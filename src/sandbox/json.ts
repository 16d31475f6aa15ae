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
