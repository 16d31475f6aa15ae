/** Values less the parts that only say something to who applies a patch. */
import { isList, isMap, type Json, type JsonMap } from '../json.ts';

/** The field that makes a map an order to delete or replace. */
export const DIRECTIVE = '$patch';

/** Undefined for what is a directive itself. */
export function withoutDirectives(value: Json): Json | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter((each) => each !== undefined);
  if (!isMap(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept = Object.entries(value).map(([key, inner]) => [key, withoutDirectives(inner)] as const);
  return Object.fromEntries(kept.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** Nulls of maps go, at any depth; those of lists stay. */
export function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}

export const withoutKeys = (map: JsonMap, keys: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
