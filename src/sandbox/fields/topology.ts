/** How the fields of a value are shared among owners: what is one piece, and what tells the members of a list apart. */
import { isList, isMap, type Json, type JsonMap, own } from '../json.ts';
import { fieldSchema } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { fieldElement, keyElement, type PathElement, valueElement } from './path-element.ts';

/** Nothing is known about a value: maps are shared by field, lists are one piece. */
export type MaybeSchema = Schema | undefined;

/** Members of such a list have owners of their own. */
export function isShared(schema: MaybeSchema): boolean {
  return schema !== undefined && (keysOf(schema) !== undefined || isSet(schema));
}

const mergesOf = ({ listType, patchStrategy }: Schema): boolean =>
  listType === undefined && patchStrategy?.includes('merge') === true;

const isSet = (schema: Schema): boolean =>
  schema.listType === 'set' || (mergesOf(schema) && schema.patchMergeKey === undefined);

function keysOf(schema: Schema): readonly string[] | undefined {
  if (schema.listType === 'map') return schema.listMapKeys;
  return mergesOf(schema) && schema.patchMergeKey !== undefined ? [schema.patchMergeKey] : undefined;
}

export const isAtomicMap = (schema: MaybeSchema): boolean => schema?.mapType === 'atomic';

/** The schema of a field. */
export const fieldOf = (schema: MaybeSchema, name: string): MaybeSchema => schema && fieldSchema(schema, name);

/** Whether the field has a name in the schema, and is not one of many in a map. */
export const isNamed = (schema: MaybeSchema, name: string): boolean =>
  schema?.properties !== undefined && Object.hasOwn(schema.properties, name);

/** What tells a member of a shared list from the others. Throws where nothing does. */
export function memberElement(member: Json, schema: Schema): PathElement {
  const keys = keysOf(schema);
  return keys === undefined ? setElement(member) : keyedElement(member, keys, schema.items);
}

function setElement(member: Json): PathElement {
  if (isMap(member)) throw new Error("associative list without keys has an element that's a map type");
  if (isList(member)) throw new Error('not supported: associative list with lists as elements');
  if (member === null) throw new Error("associative list without keys has an element that's an explicit null");
  return valueElement(member);
}

function keyedElement(member: Json, keys: readonly string[], items: MaybeSchema): PathElement {
  if (member === null) throw new Error('associative list with keys may not have a null element');
  if (!isMap(member)) throw new Error('associative list with keys may not have non-map elements');
  const key = keys.flatMap((name): [string, Json][] => {
    const value = own(member, name) ?? fieldOf(items, name)?.default;
    return value === undefined ? [] : [[name, value]];
  });
  if (key.length > 0) return keyElement(key);
  const names = `[${keys.map((name) => JSON.stringify(name)).join(' ')}]`;
  throw new Error(
    `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
  );
}

/** Every field of a map with its value. */
export const fieldsOf = (map: JsonMap): readonly (readonly [name: string, element: PathElement, value: Json])[] =>
  Object.entries(map).map(([name, value]) => [name, fieldElement(name), value]);
