/**
 * Turns a zod schema into the *structural* OpenAPI schema that the API server wants in a CustomResourceDefinition, so that the
 * server takes and refuses what zod does. What such a schema cannot say is refused here, with the path of the field and the remedy.
 *
 * Three differences remain. The server drops unknown fields where zod may refuse them; it drops `null` where the field is not nullable;
 * and it counts the length of a text in code points, not in the 16-bit units that JavaScript counts.
 */
import { RE2JS } from 're2js';
import * as z from 'zod';
import { inOrder, isSchema, PRESERVE_UNKNOWN, refuse, type StructuralSchema } from './schema-keywords.ts';
import { withoutUnions } from './unions.ts';
import { addDetails } from './zod-details.ts';

/** Describes what zod takes as *input*: a field with a default may be left out. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    cycles: 'throw',
    reused: 'inline',
    override: addDetails,
  });
  return structural({ ...json }, '');
}

function structural(json: StructuralSchema, path: string): StructuralSchema {
  const { properties, additionalProperties, items, required, readOnly: _, ...value } = withoutUnions(json, path);
  checkPatterns(value, path);
  if (value.nullable === true && value.enum !== undefined) {
    refuse(
      path,
      'may be null or one of a few values, and then the server never takes null',
      'make it optional instead',
    );
  }
  const schema = {
    ...wholeNumbers(withoutTextFormat(value, path)),
    ...(Array.isArray(required) && { required: required.toSorted() }),
    ...(isSchema(properties) && Object.keys(properties).length > 0 && { properties: fields(properties, path) }),
    ...(additionalProperties !== undefined && otherFields(additionalProperties, properties, path)),
    ...(isSchema(items) && { items: structural(items, `${path}[]`) }),
  };
  return inOrder(takesAnything(schema) ? { ...schema, [PRESERVE_UNKNOWN]: true } : schema, path);
}

const takesAnything = (schema: StructuralSchema): boolean =>
  schema.type === undefined && schema.anyOf === undefined && schema[PRESERVE_UNKNOWN] === undefined;

function fields(properties: StructuralSchema, path: string): StructuralSchema {
  const names = Object.keys(properties).sort();
  return Object.fromEntries(names.map((name) => [name, structural(schemaOf(properties[name]), `${path}.${name}`)]));
}

/** `false` is left out: the server drops unknown fields by itself. `{}`, from a loose object, keeps them all. */
function otherFields(others: unknown, properties: unknown, path: string): StructuralSchema {
  if (others === false) return {};
  const schema = schemaOf(others);
  if (Object.keys(schema).length === 0) return { [PRESERVE_UNKNOWN]: true };
  if (isSchema(properties) && Object.keys(properties).length > 0) {
    refuse(path, 'has fields by name and others by a rule', 'make the others a map of their own');
  }
  return { additionalProperties: structural(schema, `${path}.*`) };
}

const schemaOf = (value: unknown): StructuralSchema => (isSchema(value) ? value : {});

/**
 * The bounds of what JavaScript counts exactly are no property of the field, and an enumeration of whole numbers is one of integers.
 * Those of an int32 stay, because the server does not hold a number against its format.
 */
function wholeNumbers({ minimum, maximum, ...value }: StructuralSchema): StructuralSchema {
  const isWhole = Array.isArray(value.enum) && value.type === 'number' && value.enum.every(Number.isInteger);
  return {
    ...value,
    ...(isWhole && { type: 'integer' }),
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

/** A text with a format is not safe from lists: the server checks the type only where there is none. A pattern says more anyway. */
function withoutTextFormat({ format, ...value }: StructuralSchema, path: string): StructuralSchema {
  if (format === undefined || value.type !== 'string') return { ...value, ...(format !== undefined && { format }) };
  if (value.pattern !== undefined) return value;
  return refuse(path, `has the format ${format}, which the server reads in its own way`, 'say it with a pattern');
}

/** The server's regular expressions are RE2: linear in time, without looking around or back. */
function checkPatterns({ pattern, allOf }: StructuralSchema, path: string): void {
  if (Array.isArray(allOf)) for (const branch of allOf) checkPatterns(branch, path);
  if (typeof pattern !== 'string') return;
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    refuse(path, `has the pattern ${pattern}, which is not RE2 (${error})`, 'write it without lookarounds');
  }
}
