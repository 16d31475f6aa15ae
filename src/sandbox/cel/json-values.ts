/** Objects as values of CEL. What a field is taken for depends on its schema, where there is one. */
import { isList, isMap, type Json, type JsonMap, own } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { escaped, unescaped } from './field-names.ts';
import { type ListKind, ofKind } from './lists.ts';
import { durationFrom, timestampFrom } from './times.ts';
import type { CelMap, CelValue } from './values.ts';

/** Fields are turned into values only when they are asked for. */
export function fromJson(value: Json, schema?: Schema): CelValue {
  if (typeof value === 'number') return Number.isInteger(value) && schema?.type !== 'number' ? BigInt(value) : value;
  if (typeof value === 'string') return textOf(value, schema);
  if (isList(value)) {
    return ofKind(
      value.map((each) => fromJson(each, schema?.items)),
      listKind(schema),
    );
  }
  return isMap(value) ? mapFrom(value, schema) : value;
}

function textOf(text: string, schema: Schema | undefined): CelValue {
  if (schema?.type !== 'string' || schema.native) return text;
  switch (schema.format) {
    case 'date-time':
    case 'date':
      return timestampFrom(text) ?? text;
    case 'duration':
      return durationFrom(text) ?? text;
    case 'byte':
      return new Uint8Array(Buffer.from(text, 'base64'));
    default:
      return text;
  }
}

function listKind(schema: Schema | undefined): ListKind | undefined {
  if (schema?.listType === 'set') return { type: 'set' };
  return schema?.listType === 'map' ? { type: 'map', keys: schema.listMapKeys ?? [] } : undefined;
}

function mapFrom(map: JsonMap, schema: Schema | undefined): CelMap {
  if (schema?.properties && !schema.native) return structFrom(map, schema.properties);
  return {
    isMap: true,
    keys: () => Object.keys(map),
    get: (key) => {
      const value = typeof key === 'string' ? own(map, key) : undefined;
      return value === undefined ? undefined : fromJson(value, schema?.additionalProperties);
    },
  };
}

/** Only fields of the schema are seen. Those that CEL could not name have other names. */
function structFrom(map: JsonMap, properties: Readonly<Record<string, Schema>>): CelMap {
  const isSeen = (name: string) => Object.hasOwn(properties, name) && map[name] !== null;
  return {
    isMap: true,
    keys: () => Object.keys(map).filter(isSeen).map(escaped),
    get: (key) => {
      const name = typeof key === 'string' ? unescaped(key) : undefined;
      const value = name !== undefined && Object.hasOwn(properties, name) ? own(map, name) : undefined;
      const schema = name === undefined ? undefined : properties[name];
      return value === undefined || (value === null && !schema?.nullable) ? undefined : fromJson(value, schema);
    },
  };
}
