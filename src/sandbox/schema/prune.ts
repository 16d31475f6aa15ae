/** Takes out of an object what its kind does not have. */
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import { objectMetaSchema } from './built-in.ts';
import { type Decoded, decoded } from './native.ts';
import type { Schema } from './schema.ts';

/**
 * The object without what its kind does not have, and the paths of that. One of a built-in kind comes out as the server would write it;
 * `fault` says what of it cannot be read at all. Parts of the stored object that it takes the place of are in their form.
 */
export function prune(value: Json, schema: Schema, stored?: Json): Decoded {
  if (schema.native) return decoded(value, schema, stored);
  if (!isMap(value)) return { value, unknown: [] };
  const unknown: string[] = [];
  const rest = structural(without(value, OF_EVERY_OBJECT), schema, '', unknown);
  const meta = metaOf(value);
  return { ...meta, value: { ...meta.value, ...rest }, unknown: [...meta.unknown, ...unknown].toSorted() };
}

const OF_EVERY_OBJECT = ['apiVersion', 'kind', 'metadata'];

const without = (map: JsonMap, names: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));

/** What every object has is never pruned, and its metadata is read like that of built-in kinds. */
function metaOf({ apiVersion, kind, metadata }: JsonMap): Omit<Decoded, 'value'> & { readonly value: JsonMap } {
  const read = metadata === undefined ? { value: {}, unknown: [] } : decoded({ metadata }, METADATA);
  const names = { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }) };
  return { ...read, value: { ...names, ...(isMap(read.value) && read.value) } };
}

/** A custom resource whose metadata are as the server would read them. */
export const withReadMetadata = (object: JsonMap): JsonMap => ({ ...object, ...metaOf(object).value });

const { managedFields = {}, ...fields } = objectMetaSchema.properties ?? {};

/** Of custom resources the server loses even an empty list of owners before it looks at it. */
const METADATA: Schema = {
  type: 'object',
  native: true,
  properties: {
    metadata: {
      ...objectMetaSchema,
      whenEmpty: 'written',
      properties: { ...fields, managedFields: { ...managedFields, whenEmpty: 'omitted' } },
    },
  },
};

/** A part of a custom resource without what its schema does not have, and the paths of that. */
export function pruned(value: Json, schema: Schema): Decoded {
  const unknown: string[] = [];
  return { value: inner(value, schema, '', unknown), unknown };
}

function inner(value: Json, schema: Schema, path: string, unknown: string[]): Json {
  if (isMap(value)) return structural(value, schema, path, unknown);
  const { items } = schema;
  if (!isList(value) || !items) return value;
  return value.map((each, index) => inner(each, items, `${path}[${index}]`, unknown));
}

function structural(value: JsonMap, schema: Schema, path: string, unknown: string[]): JsonMap {
  const entries = Object.entries(value).flatMap(([name, field]): [string, Json][] => {
    const place = path === '' ? name : `${path}.${name}`;
    if (schema.embeddedResource && OF_EVERY_OBJECT.includes(name)) return [[name, field]];
    const known = fieldSchema(schema, name);
    if (known) return isUnwantedNull(field, known) ? [] : [[name, inner(field, known, place, unknown)]];
    if (schema.preserveUnknownFields) return [[name, field]];
    unknown.push(place);
    return [];
  });
  return Object.fromEntries(entries);
}

/** Where there is a default, null stands for it. */
const isUnwantedNull = (value: Json, schema: Schema): boolean =>
  value === null && !schema.nullable && schema.default === undefined;

/** Of a field of a struct, or of any value of a map; undefined for what nothing is known about. */
export const fieldSchema = ({ properties, additionalProperties }: Schema, name: string): Schema | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
