/** That the members of a list that is a set or a map differ. */
import { isList, isMap, type Json, own } from '../json.ts';
import { duplicate, type FieldError } from './field-error.ts';
import { fieldSchema } from './prune.ts';
import type { Schema } from './schema.ts';

export function listErrors(value: Json, schema: Schema, path = ''): readonly FieldError[] {
  if (isList(value)) {
    const { items } = schema;
    const inner = items ? value.flatMap((each, index) => listErrors(each, items, `${path}[${index}]`)) : [];
    return [...twins(value, schema, path), ...inner];
  }
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = fieldSchema(schema, name);
    return known ? listErrors(field, known, path === '' ? name : `${path}.${name}`) : [];
  });
}

/** Each that stood there before is named once. */
function twins(list: readonly Json[], schema: Schema, path: string): readonly FieldError[] {
  if (schema.listType !== 'set' && schema.listType !== 'map') return [];
  const identities = list.map((member) => identityOf(member, schema));
  const texts = identities.map((each) => JSON.stringify(each));
  const seen = new Map<string, number>();
  return identities.flatMap((identity, index) => {
    const text = texts[index] ?? '';
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return count === 2 ? [duplicate(`${path}[${index}]`, identity)] : [];
  });
}

function identityOf(member: Json, { listType, listMapKeys = [] }: Schema): Json {
  if (listType === 'set' || !isMap(member)) return member;
  return Object.fromEntries(
    listMapKeys.toSorted().flatMap((name) => {
      const value = own(member, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
