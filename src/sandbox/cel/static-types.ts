/** What is known of the type of an expression before it has a value. */
import type { Schema } from '../schema/schema.ts';
import { escaped } from './field-names.ts';

export type StaticType =
  /** Anything: nothing can be said against what is done with it. */
  | { readonly is: 'dyn' }
  | { readonly is: 'scalar'; readonly name: ScalarName }
  | { readonly is: 'list'; readonly of: StaticType }
  | { readonly is: 'map'; readonly of: StaticType }
  | { readonly is: 'object'; readonly fields: ReadonlyMap<string, StaticType> }
  | { readonly is: 'optional'; readonly of: StaticType };

type ScalarName = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null' | 'timestamp' | 'duration';

export const DYN: StaticType = { is: 'dyn' };
export const scalar = (name: ScalarName): StaticType => ({ is: 'scalar', name });
export const [BOOL, INT, STRING] = [scalar('bool'), scalar('int'), scalar('string')] as const;
export const isScalar = (type: StaticType, ...names: readonly ScalarName[]): boolean =>
  type.is === 'scalar' && names.includes(type.name);

const FORMATS: Readonly<Record<string, ScalarName>> = {
  byte: 'bytes',
  duration: 'duration',
  date: 'timestamp',
  'date-time': 'timestamp',
};

/** Of a value with this schema. Nothing where a rule cannot speak of it. */
export function typeOfSchema(schema: Schema): StaticType | undefined {
  if (schema.intOrString) return DYN;
  switch (schema.type) {
    case 'array': {
      const of = schema.items && typeOfSchema(schema.items);
      return of && { is: 'list', of };
    }
    case 'object':
      return typeOfObject(schema);
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

function typeOfObject({ additionalProperties, properties = {}, embeddedResource }: Schema): StaticType | undefined {
  if (additionalProperties) {
    const of = typeOfSchema(additionalProperties);
    return of && { is: 'map', of };
  }
  const fields = Object.entries(properties).flatMap(([name, each]): [string, StaticType][] => {
    const type = typeOfSchema(each);
    return type ? [[escaped(name), type]] : [];
  });
  return { is: 'object', fields: new Map([...fields, ...(embeddedResource ? OF_EVERY_OBJECT : [])]) };
}

/** What can be said of every object. */
export const OF_EVERY_OBJECT: readonly [string, StaticType][] = [
  ['apiVersion', STRING],
  ['kind', STRING],
  [
    'metadata',
    {
      is: 'object',
      fields: new Map([
        ['name', STRING],
        ['generateName', STRING],
      ]),
    },
  ],
];

/** As the server calls it; nothing where it has names of its own. */
export function typeText(type: StaticType): string | undefined {
  switch (type.is) {
    case 'scalar':
      return type.name;
    case 'list':
    case 'optional': {
      const of = typeText(type.of);
      return of && `${type.is === 'list' ? 'list' : 'optional_type'}(${of})`;
    }
    case 'map': {
      const of = typeText(type.of);
      return of && `map(string, ${of})`;
    }
    default:
      return undefined;
  }
}
