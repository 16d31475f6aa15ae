/** How large values can be, by their schema: what has no limit is limited by how much can be sent at once. */
import type { Schema } from '../schema/schema.ts';
import { escaped } from './field-names.ts';

export interface Sizes {
  /** How many members, or letters, at most. */
  readonly most: number;
  /** How many bytes it takes at least. */
  readonly least: number;
  readonly of?: Sizes;
  readonly key?: Sizes;
  readonly fields?: ReadonlyMap<string, Sizes>;
}

const LARGEST_REQUEST = 3 * 1024 * 1024;
const PLAIN: Sizes = { most: 0, least: 2 };
const FORMATS: Readonly<Record<string, Sizes>> = {
  duration: { most: 32, least: 3 },
  date: { most: 12, least: 12 },
  'date-time': { most: 32, least: 21 },
};
const TEXT: Sizes = { most: LARGEST_REQUEST - 2, least: 2 };

/** How often something with so many bytes can be there. */
export const mostTimes = ({ least }: Sizes): number => Math.floor(LARGEST_REQUEST / (least + 1));

/** Nothing where a rule cannot speak of it. */
export function sizesOf(schema: Schema, isResource = schema.embeddedResource === true): Sizes | undefined {
  const { maxLength } = schema;
  if (schema.intOrString) return { most: maxLength === undefined ? TEXT.most : letters(maxLength), least: 1 };
  switch (schema.type) {
    case 'array': {
      const of = schema.items && sizesOf(schema.items);
      const fitting = of && Math.floor((LARGEST_REQUEST - 2) / (of.least + 1));
      return of && { most: limit(schema.maxItems) ?? fitting ?? 0, least: 2, of };
    }
    case 'object':
      return sizesOfObject(schema, isResource);
    case 'string':
      return sizesOfText(schema);
    case 'boolean':
      return { most: 0, least: 4 };
    case 'number':
    case 'integer':
      return { most: 0, least: 1 };
    default:
      return undefined;
  }
}

const limit = (amount: number | undefined): number | undefined =>
  amount === undefined ? undefined : Math.max(0, amount);

/** A letter has up to four bytes. */
const letters = (maxLength: number): number => Math.max(0, maxLength) * 4;

function sizesOfText({ format = '', maxLength, enum: values = [] }: Schema): Sizes {
  const known = FORMATS[format];
  if (known) return known;
  if (format === 'byte') return { most: limit(maxLength) ?? TEXT.most, least: 2 };
  if (maxLength !== undefined) return { most: letters(maxLength), least: 2 };
  const lengths = values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  return values.length > 0 ? { most: Math.max(...lengths), least: 2 } : TEXT;
}

function sizesOfObject(schema: Schema, isResource: boolean): Sizes | undefined {
  const { additionalProperties, properties = {}, required = [] } = schema;
  if (additionalProperties) {
    const of = sizesOf(additionalProperties);
    const fitting = of && Math.floor((LARGEST_REQUEST - 2) / (of.least + 6));
    return of && { most: limit(schema.maxProperties) ?? fitting ?? 0, least: 2, key: PLAIN, of };
  }
  const all: Readonly<Record<string, Schema>> = isResource ? { ...properties, ...OF_EVERY_OBJECT } : properties;
  const known = Object.entries(all).flatMap(([name, each]) => {
    const sizes = sizesOf(each);
    return sizes ? [{ name, each, sizes }] : [];
  });
  const needed = known.filter(({ name, each }) => required.includes(name) && each.default === undefined);
  const least = needed.reduce((sum, { name, sizes }) => sum + Buffer.byteLength(name) + sizes.least + 4, 2);
  return { most: 0, least, fields: new Map(known.map(({ name, sizes }) => [escaped(name), sizes])) };
}

const OF_EVERY_OBJECT: Readonly<Record<string, Schema>> = {
  kind: { type: 'string' },
  apiVersion: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};
