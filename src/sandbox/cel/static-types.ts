/** What is known of the type of an expression before it has a value. */
import type { Schema } from '../schema/schema.ts';
import { escaped } from './field-names.ts';

export type StaticType =
  /** Anything: nothing can be said against what is done with it. */
  | { readonly is: 'dyn' }
  /** Of what is wrong already: nothing more is said against it. */
  | { readonly is: 'error' }
  | { readonly is: 'scalar'; readonly name: ScalarName }
  | { readonly is: 'list'; readonly of: StaticType }
  | { readonly is: 'map'; readonly key: StaticType; readonly of: StaticType }
  /** What Kubernetes adds has no fields. */
  | { readonly is: 'object'; readonly name: string; readonly fields?: ReadonlyMap<string, StaticType> }
  | { readonly is: 'optional'; readonly of: StaticType }
  | { readonly is: 'type'; readonly of: StaticType }
  /** Not known yet: what it is follows from what is done with it. */
  | { readonly is: 'open'; readonly name: string };

export type ScalarName = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration';

export const DYN: StaticType = { is: 'dyn' };
export const ERROR: StaticType = { is: 'error' };
export const scalar = (name: ScalarName): StaticType => ({ is: 'scalar', name });
export const listOf = (of: StaticType): StaticType => ({ is: 'list', of });
export const mapOf = (key: StaticType, of: StaticType): StaticType => ({ is: 'map', key, of });
export const optionalOf = (of: StaticType): StaticType => ({ is: 'optional', of });
export const [BOOL, INT, STRING] = [scalar('bool'), scalar('int'), scalar('string')] as const;
export const isScalar = (type: StaticType, ...names: readonly ScalarName[]): boolean =>
  type.is === 'scalar' && names.includes(type.name);

/** An object with these fields, none of which has to be there. */
export const objectOf = (name: string, fields: Iterable<readonly [string, StaticType]>): StaticType => ({
  is: 'object',
  name,
  fields: new Map(fields),
});

const FORMATS: Readonly<Record<string, ScalarName>> = {
  byte: 'bytes',
  duration: 'duration',
  date: 'timestamp',
  'date-time': 'timestamp',
};

/** Of a value with this schema, whose objects are called after `name`. Nothing where a rule cannot speak of it. */
export function typeOfSchema(schema: Schema, name: string): StaticType | undefined {
  if (schema.intOrString) return DYN;
  switch (schema.type) {
    case 'array': {
      const of = schema.items && typeOfSchema(schema.items, `${name}.@idx`);
      return of && listOf(of);
    }
    case 'object':
      return typeOfObject(schema, name);
    case 'string':
      return scalar(FORMATS[schema.format ?? ''] ?? 'string');
    case 'boolean':
      return BOOL;
    case 'number':
      return scalar('double');
    case 'integer':
      return INT;
    default:
      return undefined;
  }
}

function typeOfObject(schema: Schema, name: string): StaticType | undefined {
  const { additionalProperties, properties = {}, embeddedResource } = schema;
  if (additionalProperties) {
    const of = typeOfSchema(additionalProperties, `${name}.@elem`);
    return of && mapOf(STRING, of);
  }
  const fields = Object.entries(properties).flatMap(([each, inner]): [string, StaticType][] => {
    const type = typeOfSchema(inner, `${name}.${escaped(each)}`);
    return type ? [[escaped(each), type]] : [];
  });
  return objectOf(name, [...fields, ...(embeddedResource ? fieldsOfEveryObject(name) : [])]);
}

/** What can be said of every object. */
export const fieldsOfEveryObject = (name: string): readonly (readonly [string, StaticType])[] => [
  ['apiVersion', STRING],
  ['kind', STRING],
  [
    'metadata',
    objectOf(`${name}.metadata`, [
      ['name', STRING],
      ['generateName', STRING],
    ]),
  ],
];

/** As the server calls it. */
export function typeText(type: StaticType): string {
  switch (type.is) {
    case 'dyn':
      return 'dyn';
    case 'error':
      return '!error!';
    case 'scalar':
    case 'object':
    case 'open':
      return type.name;
    case 'list':
      return `list(${typeText(type.of)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.of)})`;
    case 'optional':
      return `optional_type(${typeText(type.of)})`;
    case 'type':
      return `type(${typeText(type.of)})`;
  }
}

export const isSame = (one: StaticType, other: StaticType): boolean =>
  one.is === other.is && typeText(one) === typeText(other);
