/** Anything that the schema of a CustomResourceDefinition lets through, as far as the schema alone says. */
import fc from 'fast-check';
import {
  INT_OR_STRING,
  isSchema,
  PRESERVE_UNKNOWN,
  type StructuralSchema,
  VALIDATIONS,
} from '../../src/kit/manifests/schema-keywords.ts';

const LONGEST_TEXT = 40;
const MOST_ITEMS = 4;
const RANGE = /self >= (-?\d+) && self <= (\d+)/;

export function whateverFits(schema: StructuralSchema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema[INT_OR_STRING]) return fc.oneof(fc.integer(), text(patternOf(schema)));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer(rangeOf(schema));
    case 'number':
      return fc.double({ ...rangeOf(schema), noNaN: true });
    case 'string':
      return text(schema);
    case 'array':
      return fc.array(whateverFits(schemaAt(schema.items)), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: Math.min(Number(schema.maxItems ?? MOST_ITEMS), MOST_ITEMS),
      });
    case 'object':
      return object(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function object(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required } = schema;
  if (isSchema(properties)) {
    const fields = Object.entries(properties).map(([name, field]) => [name, whateverFits(schemaAt(field))] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: Array.isArray(required) ? required : [] });
  }
  if (isSchema(additionalProperties))
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), whateverFits(additionalProperties), {
      maxKeys: MOST_ITEMS,
      noNullPrototype: true,
    });
  return schema[PRESERVE_UNKNOWN]
    ? fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: MOST_ITEMS, noNullPrototype: true })
    : fc.constant({});
}

function text({ pattern, minLength = 0, maxLength = LONGEST_TEXT }: StructuralSchema): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const unit = fc.constantFrom<'grapheme' | 'binary-ascii'>('grapheme', 'binary-ascii');
  const length = { minLength: Number(minLength), maxLength: Math.min(Number(maxLength), LONGEST_TEXT) };
  return unit.chain((each) => fc.string({ unit: each, ...length }));
}

/** One of the kinds that are allowed may have a pattern of its own. */
function patternOf({ pattern, anyOf, allOf }: StructuralSchema): StructuralSchema {
  const branches = [anyOf, allOf].flatMap((each) => (Array.isArray(each) ? each : []));
  const found = pattern ?? branches.map((branch) => branch.pattern).find((each) => each !== undefined);
  return found === undefined ? {} : { pattern: found };
}

/** Numbers of ours have their ends in a rule, which can say why. */
function rangeOf({ minimum, maximum, [VALIDATIONS]: rules = [] }: StructuralSchema) {
  const [, least = minimum, most = maximum] = RANGE.exec(JSON.stringify(rules)) ?? [];
  return {
    min: Math.max(Number(least ?? -(2 ** 31)), -(2 ** 31)),
    max: Math.min(Number(most ?? 2 ** 31 - 1), 2 ** 31 - 1),
  };
}

const schemaAt = (schema: unknown): StructuralSchema => (isSchema(schema) ? schema : {});
