/**
 * Built-in kinds are read into types of Go, and what the server answers is what those write: null is as good as absent, what is empty is
 * left out or written out, amounts and times have one form, and what does not fit is refused in the words of Go's reader.
 */
import { jsonWordFor } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import { readScalar, zeroScalar } from './native-scalars.ts';
import type { Schema } from './schema.ts';

export interface Decoded {
  readonly value: Json;
  /** Paths of fields that the kind does not have. */
  readonly unknown: readonly string[];
  /** The first thing that cannot be read. */
  readonly fault?: string;
}

export function decoded(value: Json, schema: Schema): Decoded {
  const reading = new Reading();
  const result = reading.read(value, { schema, path: '', struct: '', goPath: '' }) ?? {};
  const { unknown, fault } = reading;
  return { value: result, unknown, ...(fault !== undefined && { fault }) };
}

/** Where in an object something is read. */
interface Place {
  readonly schema: Schema;
  readonly path: string;
  /** The struct that it is a field of, and the path of it, as errors name them. */
  readonly struct: string;
  readonly goPath: string;
}

class Reading {
  readonly unknown: string[] = [];
  fault: string | undefined;

  /** Undefined for what is as good as absent. */
  read(value: Json, place: Place): Json | undefined {
    const { schema } = place;
    if (!schema.native || schema.preserveUnknownFields) return value;
    if (schema.properties) return this.#struct(value, place, schema.properties);
    if (schema.type === 'array') return this.#list(value, place);
    if (schema.type === 'object') return this.#map(value, place);
    return this.#scalar(value, place);
  }

  #struct(value: Json, place: Place, properties: Readonly<Record<string, Schema>>): Json | undefined {
    if (value === null) return undefined;
    if (!isMap(value)) return this.#refuse(value, place, structTypeOf(place.schema));
    const result: Record<string, Json> = {};
    for (const [name, field] of Object.entries(value)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema === undefined) this.unknown.push(place.path === '' ? name : `${place.path}.${name}`);
      else this.#field(result, name, this.read(field, fieldOf(place, name, schema)), schema);
    }
    for (const [name, schema] of writtenFields(properties)) if (!(name in result)) result[name] = zeroOf(schema);
    return result;
  }

  #field(result: Record<string, Json>, name: string, value: Json | undefined, { whenEmpty }: Schema): void {
    if (value !== undefined && !(whenEmpty === 'omitted' && isEmpty(value))) result[name] = value;
  }

  #list(value: Json, place: Place): Json | undefined {
    if (value === null) return undefined;
    const items = place.schema.items ?? {};
    if (!isList(value)) return this.#refuse(value, place, place.schema.goType ?? `[]${scalarTypeOf(items)}`);
    const goType = place.schema.goType?.replace(/^\[\]/, '');
    const schema = goType === undefined ? items : { ...items, goType };
    const read = (each: Json, index: number) => this.read(each, { ...place, schema, path: `${place.path}[${index}]` });
    return value.map((each, index) => read(each, index) ?? zeroOf(items));
  }

  #map(value: Json, place: Place): Json | undefined {
    if (value === null) return undefined;
    const values = place.schema.additionalProperties;
    if (!isMap(value))
      return this.#refuse(value, place, place.schema.goType ?? `map[string]${scalarTypeOf(values ?? {})}`);
    if (values === undefined) return value;
    const read = (key: string, each: Json) =>
      this.read(each, { ...place, schema: values, path: `${place.path}.${key}` });
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, read(key, each) ?? zeroOf(values)]));
  }

  #scalar(value: Json, place: Place): Json | undefined {
    if (value === null) return undefined;
    const result = readScalar(value, place.schema);
    if (result.fault !== undefined) this.fault ??= result.fault;
    if (result.unfit !== undefined) return this.#refuse(value, place, result.unfit);
    return result.value;
  }

  #refuse(value: Json, { struct, goPath, schema }: Place, goType: string): undefined {
    const isNumber = typeof value === 'number' && (schema.type === 'integer' || schema.intOrString);
    const found = isNumber ? `number ${value}` : jsonWordFor(value);
    const target = goPath === '' ? `value of type ${goType}` : `struct field ${struct}.${goPath} of type ${goType}`;
    this.fault ??= `json: cannot unmarshal ${found} into Go ${target}`;
    return undefined;
  }
}

function fieldOf({ schema: parent, path, goPath }: Place, name: string, schema: Schema): Place {
  const goName = schema.goWithin === undefined ? name : `${schema.goWithin}.${name}`;
  return {
    schema,
    path: path === '' ? name : `${path}.${name}`,
    struct: parent.goName ?? '',
    goPath: goPath === '' ? goName : `${goPath}.${goName}`,
  };
}

const structTypeOf = ({ goType, goName = '' }: Schema): string => goType?.replace(/^\*/, '') ?? `v1.${goName}`;

const scalarTypeOf = ({ goType, type, format }: Schema): string =>
  goType ?? (type === 'integer' ? (format ?? 'int') : type === 'boolean' ? 'bool' : 'string');

const isEmpty = (value: Json): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  (isList(value) && value.length === 0) ||
  (isMap(value) && Object.keys(value).length === 0);

type Field = readonly [name: string, schema: Schema];
const written = new WeakMap<object, readonly Field[]>();

function writtenFields(properties: Readonly<Record<string, Schema>>): readonly Field[] {
  const found =
    written.get(properties) ?? Object.entries(properties).filter(([, { whenEmpty }]) => whenEmpty === 'written');
  written.set(properties, found);
  return found;
}

/** What Go writes for a value that never came. */
function zeroOf(schema: Schema): Json {
  if (schema.properties) return decoded({}, schema).value;
  return schema.type === 'array' || schema.type === 'object' ? null : zeroScalar(schema);
}

/** An object of the kind with nothing in it. */
export const emptyObject = (schema: Schema, names: JsonMap): JsonMap => {
  const { value } = schema.native ? decoded(names, schema) : { value: names };
  return isMap(value) ? value : names;
};
