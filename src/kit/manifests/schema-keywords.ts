/** The words of the schemas in a CustomResourceDefinition: OpenAPI v3 as far as it is structural, and Kubernetes' own extensions. */

/** A schema whose keywords are all among those that the API server takes. */
export type StructuralSchema = Readonly<Record<string, unknown>>;

export const INT_OR_STRING = 'x-kubernetes-int-or-string';
export const PRESERVE_UNKNOWN = 'x-kubernetes-preserve-unknown-fields';
export const VALIDATIONS = 'x-kubernetes-validations';
export const LIST_TYPE = 'x-kubernetes-list-type';
export const LIST_MAP_KEYS = 'x-kubernetes-list-map-keys';

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'format', 'title', 'description', 'default', 'example', 'enum', 'nullable'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['properties', 'required', 'additionalProperties', 'items', 'allOf', 'anyOf'],
  ...[INT_OR_STRING, PRESERVE_UNKNOWN, VALIDATIONS, LIST_TYPE, LIST_MAP_KEYS],
  ...['x-kubernetes-map-type', 'x-kubernetes-embedded-resource'],
]);

/** A schema that the API server would refuse. Only a change of the code can mend that. */
class NotStructural extends Error {
  override readonly name = 'NotStructural';
}

export function refuse(path: string, problem: string, remedy: string): never {
  throw new NotStructural(`${path === '' ? 'the schema itself' : path.slice(1)} ${problem}; ${remedy}`);
}

/** The same schema with its keywords in alphabetical order, once all of them are known to be allowed. */
export function inOrder(schema: StructuralSchema, path: string): StructuralSchema {
  const keywords = Object.keys(schema).sort();
  const foreign = keywords.find((keyword) => !KEYWORDS.has(keyword));
  if (foreign !== undefined) refuse(path, `has "${foreign}"`, 'a CustomResourceDefinition has no such keyword');
  return Object.fromEntries(keywords.map((keyword) => [keyword, schema[keyword]]));
}

export const isSchema = (value: unknown): value is StructuralSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
