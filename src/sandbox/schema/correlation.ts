/** Which part of an object as it was belongs to a part of it as it is. */
import { isList, isMap, type Json, own, same } from '../json.ts';
import type { Schema } from './schema.ts';

/** The old member of a list with keys for a new one. Members of other lists have none. */
export function counterpart(
  member: Json,
  { listType, listMapKeys = [], items }: Schema,
  old: Json | undefined,
): Json | undefined {
  if (listType !== 'map' || !isList(old)) return undefined;
  const key = keyOf(member, listMapKeys, items);
  const found = old.filter((each) => same(keyOf(each, listMapKeys, items), key));
  return found.length === 1 ? found[0] : undefined;
}

/** The values of its keys, defaults included. */
const keyOf = (member: Json, keys: readonly string[], items: Schema | undefined): Json =>
  keys.map((name) => (isMap(member) ? own(member, name) : undefined) ?? items?.properties?.[name]?.default ?? null);
