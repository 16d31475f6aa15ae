/**
 * Whether a schema is structural: everything has a type, and what stands inside of `anyOf` and its like only narrows what is said
 * outside. In the words of the server.
 */
import { isList, isMap, type Json, type JsonMap, same } from '../json.ts';
import { patternOf } from '../patterns.ts';
import { type FieldError, forbidden, invalid, required } from '../schema/field-error.ts';
import { defaultOf, isSet, keysOf, listedParts, namedParts, type Part, partAt, textOf } from './schema-node.ts';

type Level = 'root' | 'item' | 'field';

const UNTYPED: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const PRESERVES = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const INT_OR_STRING = 'x-kubernetes-int-or-string';

export function structuralFaults(root: Part): readonly FieldError[] {
  const faults = [...invariants(root, 'root'), ...narrowing(root, root)];
  const textOfFault = ({ field, message }: FieldError) => `${field}: ${message}`;
  return faults.toSorted((a, b) => (textOfFault(a) < textOfFault(b) ? -1 : 1));
}

function invariants(part: Part, level: Level): readonly FieldError[] {
  const { node, path } = part;
  const [items, values] = [partAt(part, 'items'), partAt(part, 'additionalProperties')];
  const type = textOf(node, 'type');
  const isFree = node.additionalProperties !== undefined;
  return [
    ...(type === 'array' && !items ? [required(`${path}.items`, 'must be specified')] : []),
    ...(items ? invariants(items, 'item') : []),
    ...namedParts(part, 'properties').flatMap((each) => invariants(each, 'field')),
    ...(isFree && level === 'root' ? [forbidden(`${path}.additionalProperties`, 'must not be used at the root')] : []),
    ...(values ? invariants(values, 'field') : []),
    ...extensionFaults(part),
    ...valueFaults(part, isIntOrString(node.anyOf), isIntOrStringInAll(node)),
    ...typeFaults(part, type, level),
    ...(isSet(node, EMBEDDED) && isFree
      ? [forbidden(`${path}.additionalProperties`, `must not be used if ${EMBEDDED} is set`)]
      : []),
    ...metadataFaults(part, level),
  ];
}

function extensionFaults({ node, path }: Part): readonly FieldError[] {
  if (!isSet(node, INT_OR_STRING)) return [];
  return [PRESERVES, EMBEDDED]
    .filter((word) => isSet(node, word))
    .map((word) => invalid(`${path}.${word}`, true, `must be false if ${INT_OR_STRING} is true`));
}

function typeFaults({ node, path }: Part, type: string, level: Level): readonly FieldError[] {
  const place = `${path}.type`;
  const found: FieldError[] = [];
  if (isSet(node, EMBEDDED) && type !== 'object') {
    const words = `must be object if ${EMBEDDED} is true`;
    found.push(type === '' ? required(place, words) : invalid(place, type, words));
  } else if (type === '' && !isSet(node, INT_OR_STRING) && !isSet(node, PRESERVES)) {
    found.push(required(place, UNTYPED[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object')
    found.push(invalid(place, type, 'must be object at the root'));
  return found;
}

/** What every object has cannot be described anew. */
function metadataFaults(part: Part, level: Level): readonly FieldError[] {
  const { node, path } = part;
  const isResource = level === 'root' || isSet(node, EMBEDDED);
  const properties = namedParts(part, 'properties');
  const texts = properties
    .filter(({ name, node: each }) => isResource && NAMES.includes(name) && textOf(each, 'type') !== 'string')
    .map(({ node: each, path: place }) => invalid(`${place}.type`, textOf(each, 'type'), 'must be string'));
  const metadata = properties.find(({ name }) => name === 'metadata');
  const isEmpty = isSet(node, EMBEDDED) && !isSet(node, PRESERVES) && properties.length === 0;
  return [
    ...texts,
    ...(metadata ? metadataSchemaFaults(metadata, isResource, level) : []),
    ...(isEmpty
      ? [required(`${path}.properties`, `must not be empty if ${EMBEDDED} is true without ${PRESERVES}`)]
      : []),
  ];
}

const NAMES = ['kind', 'apiVersion'];
const SAYABLE = ['name', 'generateName'];

function metadataSchemaFaults({ node, path }: Part, isResource: boolean, level: Level): readonly FieldError[] {
  const type = textOf(node, 'type');
  const found = isResource && type !== 'object' ? [invalid(`${path}.type`, type, 'must be object')] : [];
  if (level !== 'root') return found;
  const { type: _, default: _d, properties, ...more } = node;
  const isLittle =
    Object.keys(more).length === 0 &&
    (!isMap(properties) || keysOf(node, 'properties').every((each) => SAYABLE.includes(each)));
  if (isLittle) return found;
  const words = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [...found, forbidden(path, words)];
}

const INT_OR_STRING_TYPES = [{ type: 'integer' }, { type: 'string' }];

const isIntOrString = (anyOf: Json | undefined): boolean => isList(anyOf) && same(anyOf, INT_OR_STRING_TYPES);

function isIntOrStringInAll({ allOf }: JsonMap): boolean {
  const first = isList(allOf) ? allOf[0] : undefined;
  return isMap(first) && isIntOrString(first.anyOf);
}

function valueFaults(part: Part, skipsAnyOf: boolean, skipsFirst: boolean): readonly FieldError[] {
  const { node, path } = part;
  const pattern = textOf(node, 'pattern');
  const fault = patternFault(pattern);
  const not = partAt(part, 'not');
  return [
    ...(skipsAnyOf ? [] : listedParts(part, 'anyOf').flatMap((each) => nestedFaults(each))),
    ...listedParts(part, 'allOf').flatMap((each, index) => nestedFaults(each, skipsFirst && index === 0)),
    ...listedParts(part, 'oneOf').flatMap((each) => nestedFaults(each)),
    ...(not ? nestedFaults(not) : []),
    ...(fault ? [invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`)] : []),
  ];
}

function patternFault(pattern: string): string | undefined {
  try {
    patternOf(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What may not be said where values are only narrowed, and what it would have to be. */
const NOT_NESTED: readonly (readonly [string, 'empty' | 'undefined' | 'false'])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  [PRESERVES, 'false'],
  [EMBEDDED, 'false'],
  [INT_OR_STRING, 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function nestedFaults(part: Part, skipsAnyOf = false): readonly FieldError[] {
  const { node, path } = part;
  const items = partAt(part, 'items');
  const properties = namedParts(part, 'properties');
  const isSaid = (word: string) => {
    const value = word === 'default' ? defaultOf(node) : node[word];
    return value !== undefined && value !== '' && value !== false && !(isList(value) && value.length === 0);
  };
  return [
    ...valueFaults(part, skipsAnyOf, false),
    ...(items ? nestedFaults(items) : []),
    ...properties.flatMap((each) => nestedFaults(each)),
    ...NOT_NESTED.filter(([word]) => isSaid(word)).map(([word, what]) =>
      forbidden(`${path}.${word}`, `must be ${what} to be structural`),
    ),
    ...properties
      .filter(({ name }) => name === 'metadata')
      .map((each) => forbidden(each.path, 'must not be specified in a nested context')),
  ];
}

/** What is narrowed has to be there: `outer` is the same place in the structure itself. */
function narrowing(part: Part, outer: Part): readonly FieldError[] {
  const not = partAt(part, 'not');
  const nested = [...(not ? [not] : []), ...['allOf', 'anyOf', 'oneOf'].flatMap((field) => listedParts(part, field))];
  return nested.flatMap((each) => narrowed(each, outer));
}

function narrowed(part: Part, outer: Part): readonly FieldError[] {
  const items = partAt(part, 'items');
  const inside = (each: Part, at: Part | undefined, path: string) =>
    at ? narrowed(each, at) : [required(path, `because it is defined in ${each.path}`)];
  const known = new Map(namedParts(outer, 'properties').map((each) => [each.name, each]));
  return [
    ...narrowing(part, outer),
    ...(items ? inside(items, partAt(outer, 'items'), `${outer.path}.items`) : []),
    ...namedParts(part, 'properties').flatMap((each) =>
      inside(each, known.get(each.name), `${outer.path}.properties[${each.name}]`),
    ),
  ];
}
