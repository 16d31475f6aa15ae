/** Fills in what a schema says is meant by what is left out. */
import { isList, isMap, type Json } from '../json.ts';
import { fieldSchema } from './prune.ts';
import type { Schema } from './schema.ts';

/** Null stands for absent where it is not allowed and there is a default. */
export function withDefaults(value: Json, schema: Schema): Json {
  if (isList(value)) return schema.items ? value.map((each) => member(each, schema.items ?? {})) : value;
  if (!isMap(value)) return value;
  const result = new Map<string, Json>();
  for (const [name, field] of Object.entries(value)) {
    const known = fieldSchema(schema, name);
    result.set(name, known ? member(field, known) : field);
  }
  for (const [name, field] of defaultedFields(schema)) {
    if (!result.has(name)) result.set(name, withDefaults(field.default ?? null, field));
  }
  return Object.fromEntries(result);
}

const member = (value: Json, schema: Schema): Json =>
  withDefaults(value === null && !schema.nullable && schema.default !== undefined ? schema.default : value, schema);

type Field = readonly [name: string, schema: Schema];
const known = new WeakMap<object, readonly Field[]>();

function defaultedFields({ properties }: Schema): readonly Field[] {
  if (!properties) return [];
  const found = known.get(properties) ?? Object.entries(properties).filter(([, field]) => hasDefault(field));
  known.set(properties, found);
  return found;
}

/** For built-in kinds OpenAPI also names what Go writes for nothing. */
const hasDefault = ({ default: value, native }: Schema): boolean =>
  value !== undefined && !(native && (value === '' || value === 0 || value === false || isEmptyMap(value)));

const isEmptyMap = (value: Json): boolean => isMap(value) && Object.keys(value).length === 0;
