/** The schema of a definition as it was sent, and how to walk through it. */
import { isList, isMap, type Json, type JsonMap } from '../json.ts';

/** A part of it, and what faults call the place. */
export interface Part {
  readonly node: JsonMap;
  readonly path: string;
}

export const textOf = (node: JsonMap, field: string): string => {
  const value = node[field];
  return typeof value === 'string' ? value : '';
};

export const isSet = (node: JsonMap, field: string): boolean => node[field] === true;

const mapAt = (node: JsonMap, field: string): JsonMap | undefined => {
  const value = node[field];
  return isMap(value) ? value : undefined;
};

/** Among others, null stands for one that says nothing; alone, it is as good as none. */
const nodeOf = (value: Json): JsonMap | undefined => (value === null ? {} : isMap(value) ? value : undefined);

/** The parts under a field that has one for each name. */
export const namedParts = ({ node, path }: Part, field: string): readonly (Part & { readonly name: string })[] =>
  Object.entries(mapAt(node, field) ?? {}).flatMap(([name, each]) => {
    const found = nodeOf(each);
    return found ? [{ name, node: found, path: `${path}.${field}[${name}]` }] : [];
  });

/** The parts of a list. */
export const listedParts = ({ node, path }: Part, field: string): readonly Part[] => {
  const list = node[field];
  if (!isList(list)) return [];
  return list.flatMap((each, index) => {
    const found = nodeOf(each);
    return found ? [{ node: found, path: `${path}.${field}[${index}]` }] : [];
  });
};

export function partAt({ node, path }: Part, field: string): Part | undefined {
  const found = mapAt(node, field);
  return found && { node: found, path: `${path}.${field}` };
}

export const keysOf = (node: JsonMap, field: string): readonly string[] => Object.keys(mapAt(node, field) ?? {});

export function textsOf(node: JsonMap, field: string): readonly string[] {
  const list: Json | undefined = node[field];
  return isList(list) ? list.map(String) : [];
}

/** Null is as good as no default. */
export const defaultOf = (node: JsonMap): Json | undefined => node.default ?? undefined;

const UNSUPPORTED = ['id', '$schema', '$ref', 'patternProperties', 'definitions', 'dependencies', 'additionalItems'];

/** Whether it has words that the structure of a schema has no place for: these are refused, and nothing more is looked at. */
export function hasUnsupportedWords(part: Part): boolean {
  const { node } = part;
  const isHere =
    UNSUPPORTED.some((word) => node[word] !== undefined && node[word] !== '') ||
    isList(node.items) ||
    node['x-kubernetes-preserve-unknown-fields'] === false;
  return isHere || innerParts(part).some(hasUnsupportedWords);
}

const JUNCTORS = ['allOf', 'anyOf', 'oneOf'];

function innerParts(part: Part): readonly Part[] {
  const single = ['items', 'additionalProperties', 'not'].map((field) => partAt(part, field));
  return [
    ...single.filter((each) => each !== undefined),
    ...namedParts(part, 'properties'),
    ...JUNCTORS.flatMap((field) => listedParts(part, field)),
  ];
}
