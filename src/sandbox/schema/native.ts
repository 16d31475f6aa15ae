/**
 * Built-in kinds are read into types of Go, and what the server answers is what those write: null is as good as absent, what is empty is
 * left out or written out, amounts and times have one form, and what does not fit is refused in the words of Go's reader.
 */
import { jsonWordFor } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap, own } from '../json.ts';
import { readScalar, zeroScalar } from './native-scalars.ts';
import type { Schema } from './schema.ts';

export interface Decoded {
  readonly value: Json;
  /** Paths of fields that the kind does not have. */
  readonly unknown: readonly string[];
  /** The first thing that cannot be read. */
  readonly fault?: string;
}

/** What is one with the stored object that it takes the place of is not read again: it is in its form. */
export function decoded(value: Json, schema: Schema, stored?: Json): Decoded {
  const reading = new Reading();
  const result = reading.read(value, { schema, step: '' }, stored) ?? {};
  const { unknown, fault } = reading;
  return { value: result, unknown, ...(fault !== undefined && { fault }) };
}

/** Where in an object something is read. What errors call it is worked out only when there is one. */
interface Place {
  readonly schema: Schema;
  /** From the place that it is in: the name of a field, or what is put behind the path for the member of a list or a map. */
  readonly step: string;
  readonly within?: Place;
  readonly isMember?: boolean;
}

class Reading {
  readonly unknown: string[] = [];
  fault: string | undefined;

  /** Undefined for what is as good as absent. */
  read(value: Json, place: Place, stored: Json | undefined): Json | undefined {
    const { schema } = place;
    if (value === stored && value !== null) return value;
    if (!schema.native || schema.preserveUnknownFields) return value;
    if (schema.properties) return this.#struct(value, place, schema.properties, isMap(stored) ? stored : {});
    if (schema.type === 'array') return this.#list(value, place, isList(stored) ? stored : []);
    if (schema.type === 'object') return this.#map(value, place, isMap(stored) ? stored : {});
    return this.#scalar(value, place);
  }

  #struct(value: Json, place: Place, properties: Readonly<Record<string, Schema>>, stored: JsonMap): Json | undefined {
    if (value === null) return undefined;
    if (!isMap(value)) return this.#refuse(value, place, structTypeOf(place.schema));
    const result: Record<string, Json> = {};
    for (const name of Object.keys(value)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema === undefined) this.unknown.push(pathOf({ schema: {}, step: name, within: place }));
      else {
        const field = this.read(value[name] as Json, { schema, step: name, within: place }, stored[name]);
        this.#field(result, name, field, schema);
      }
    }
    for (const [name, schema] of writtenFields(properties)) if (!(name in result)) result[name] = zeroOf(schema);
    return result;
  }

  #field(result: Record<string, Json>, name: string, value: Json | undefined, { whenEmpty }: Schema): void {
    if (value !== undefined && !(whenEmpty === 'omitted' && isEmpty(value))) result[name] = value;
  }

  #list(value: Json, place: Place, stored: readonly Json[]): Json | undefined {
    if (value === null) return undefined;
    const items = place.schema.items ?? {};
    if (!isList(value)) return this.#refuse(value, place, place.schema.goType ?? `[]${scalarTypeOf(items)}`);
    const goType = place.schema.goType?.replace(/^\[\]/, '');
    const schema = goType === undefined ? items : { ...items, goType };
    const read = (each: Json, index: number) =>
      this.read(each, { schema, step: `[${index}]`, within: place, isMember: true }, stored[index]);
    return value.map((each, index) => read(each, index) ?? zeroOf(items));
  }

  #map(value: Json, place: Place, stored: JsonMap): Json | undefined {
    if (value === null) return undefined;
    const values = place.schema.additionalProperties;
    if (!isMap(value))
      return this.#refuse(value, place, place.schema.goType ?? `map[string]${scalarTypeOf(values ?? {})}`);
    if (values === undefined) return value;
    const read = (key: string, each: Json) =>
      this.read(each, { schema: values, step: `.${key}`, within: place, isMember: true }, own(stored, key));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, read(key, each) ?? zeroOf(values)]));
  }

  #scalar(value: Json, place: Place): Json | undefined {
    if (value === null) return undefined;
    const result = readScalar(value, place.schema);
    if (result.fault !== undefined) this.fault ??= result.fault;
    if (result.unfit !== undefined) return this.#refuse(value, place, result.unfit);
    return result.value;
  }

  #refuse(value: Json, place: Place, goType: string): undefined {
    const { schema } = place;
    const { struct, goPath } = goPlaceOf(place);
    const isNumber = typeof value === 'number' && (schema.type === 'integer' || schema.intOrString);
    const found = isNumber ? `number ${value}` : jsonWordFor(value);
    const target = goPath === '' ? `value of type ${goType}` : `struct field ${struct}.${goPath} of type ${goType}`;
    this.fault ??= `json: cannot unmarshal ${found} into Go ${target}`;
    return undefined;
  }
}

function pathOf({ step, within, isMember }: Place): string {
  if (!within) return '';
  const path = pathOf(within);
  return isMember ? `${path}${step}` : joined(path, step);
}

/** The struct that a place is a field of, and the path of it, as errors name them: members go by the field that holds them. */
function goPlaceOf({ schema, step, within, isMember }: Place): { readonly struct: string; readonly goPath: string } {
  if (!within) return { struct: '', goPath: '' };
  if (isMember) return goPlaceOf(within);
  const goName = schema.goWithin === undefined ? step : `${schema.goWithin}.${step}`;
  return { struct: within.schema.goName ?? '', goPath: joined(goPlaceOf(within).goPath, goName) };
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

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
