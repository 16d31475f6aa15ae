/** Alternatives in a schema. Few are structural: a number or a text, one of several values, and several conditions on one value. */
import { INT_OR_STRING, isSchema, refuse, type StructuralSchema } from './schema-keywords.ts';

/** The same schema without the alternatives that the API server does not take. */
export function withoutUnions(schema: StructuralSchema, path: string): StructuralSchema {
  if (schema[INT_OR_STRING] === true) return intOrString(schema);
  const { anyOf, oneOf, allOf, not, ...rest } = schema;
  if (not !== undefined) refuse(path, 'takes no value at all', 'leave the field out');
  const alternatives = anyOf ?? oneOf;
  return {
    ...rest,
    ...(alternatives !== undefined && oneOfTheirValues(branches(alternatives), path)),
    ...(allOf !== undefined && { allOf: branches(allOf).map((branch) => conditionOnly(branch, path)) }),
  };
}

const branches = (value: unknown): readonly StructuralSchema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Conditions on texts do not touch numbers and the other way round, so that those of both may stand side by side. */
function intOrString({ anyOf, ...rest }: StructuralSchema): StructuralSchema {
  const conditions = branches(anyOf).map(({ type: _type, format: _format, ...others }) => others);
  return Object.assign({}, ...conditions, rest, { anyOf: [{ type: 'integer' }, { type: 'string' }] });
}

/** `z.union([z.literal('a'), z.literal('b')])` is an enumeration. */
function oneOfTheirValues(alternatives: readonly StructuralSchema[], path: string): StructuralSchema {
  const types = new Set(alternatives.map(({ type }) => type));
  const values = alternatives.flatMap((branch) => (Array.isArray(branch.enum) ? branch.enum : [branch]));
  if (types.size !== 1 || values.some(isSchema)) {
    refuse(
      path,
      'is a union',
      'make its variants optional fields side by side and say in a CEL rule which go together',
    );
  }
  return { type: [...types][0], enum: values };
}

/** Inside `allOf` a structural schema may only narrow a value, never say again what it is. */
function conditionOnly({ type: _, ...condition }: StructuralSchema, path: string): StructuralSchema {
  const isCondition = Object.keys(condition).every((keyword) => keyword === 'pattern' || keyword === 'multipleOf');
  return isCondition ? condition : refuse(path, 'is an intersection', 'merge its parts with z.extend');
}
