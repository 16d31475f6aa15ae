/** From the words of OpenAPI, as API servers and CustomResourceDefinitions use it, to a `Schema`. */
import type { Definitions, GoFields, SchemaNode } from './definitions.ts';
import type { PatchStrategy, Schema } from './schema.ts';

/** Definitions that nodes refer to, and what else is known about them. */
export interface Library {
  readonly definitions: Definitions;
  readonly goFields: Readonly<Record<string, GoFields>>;
}

/** What our words for a keyword are. All others that we know are called the same. */
const RENAMED: Readonly<Record<string, keyof Schema>> = {
  'x-kubernetes-list-type': 'listType',
  'x-kubernetes-list-map-keys': 'listMapKeys',
  'x-kubernetes-map-type': 'mapType',
  'x-kubernetes-patch-merge-key': 'patchMergeKey',
  'x-kubernetes-preserve-unknown-fields': 'preserveUnknownFields',
  'x-kubernetes-embedded-resource': 'embeddedResource',
  'x-kubernetes-int-or-string': 'intOrString',
  'x-kubernetes-validations': 'rules',
};

const SAME: ReadonlySet<string> = new Set(
  [
    'type format nullable default enum required pattern minLength maxLength minimum exclusiveMinimum maximum exclusiveMaximum',
    'multipleOf minItems maxItems uniqueItems minProperties maxProperties',
  ].flatMap((line) => line.split(' ')),
);

const COMBINED = ['allOf', 'anyOf', 'oneOf'];

/** The schema that a node describes, and those inside of it as they are asked for: definitions may lead back to themselves. */
export function schemaOf(node: SchemaNode, library?: Library): Schema {
  const base = node.$ref === undefined || library === undefined ? {} : definitionOf(node.$ref, library);
  return { ...base, ...said(node, library) };
}

const known = new WeakMap<Library, Map<string, Schema>>();

function definitionOf(name: string, library: Library): Schema {
  const schemas = known.get(library) ?? new Map<string, Schema>();
  known.set(library, schemas);
  const found = schemas.get(name) ?? OF_THEIR_OWN[name] ?? structOf(name, library);
  schemas.set(name, found);
  return found;
}

/** Types of Go that read and write themselves: OpenAPI knows them by their names only. */
const OF_THEIR_OWN: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { format: 'quantity', native: true },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', format: 'date-time', native: true },
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { type: 'string', format: 'micro-time', native: true },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { intOrString: true, native: true },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': {
    mapType: 'atomic',
    listType: 'atomic',
    preserveUnknownFields: true,
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object', preserveUnknownFields: true },
};

function structOf(name: string, library: Library): Schema {
  const goName = name.slice(name.lastIndexOf('.') + 1);
  return { ...said(library.definitions[name] ?? {}, library, library.goFields[name]), goName, native: true };
}

function said(node: SchemaNode, library: Library | undefined, goFields?: GoFields): Schema {
  const keywords = Object.entries(node).flatMap(([keyword, value]) => {
    const ours = RENAMED[keyword] ?? (SAME.has(keyword) ? keyword : undefined);
    return ours === undefined ? [] : [[ours, value]];
  });
  // Among others, null stands for one that says nothing; alone, it is as good as none.
  const inner = (each: SchemaNode | null) => schemaOf(each ?? {}, library);
  const { properties, items, additionalProperties, not, 'x-kubernetes-patch-strategy': strategy } = node as SchemaParts;
  return {
    ...(Object.fromEntries(keywords) as Schema),
    ...(library && { native: true }),
    ...(properties && { properties: lazily(properties, inner, goFields) }),
    ...(items && { items: inner(items) }),
    ...(additionalProperties === true && { preserveUnknownFields: true }),
    ...(additionalProperties && additionalProperties !== true && { additionalProperties: inner(additionalProperties) }),
    ...(not && { not: inner(not) }),
    ...Object.fromEntries(
      COMBINED.flatMap((each) => (node[each] ? [[each, (node[each] as (SchemaNode | null)[]).map(inner)]] : [])),
    ),
    ...(strategy !== undefined && { patchStrategy: strategy.split(',') as PatchStrategy[] }),
  };
}

interface SchemaParts {
  readonly properties?: Definitions;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly not?: SchemaNode;
  readonly 'x-kubernetes-patch-strategy'?: string;
}

function lazily(
  nodes: Definitions,
  make: (node: SchemaNode | null) => Schema,
  goFields: GoFields | undefined,
): Readonly<Record<string, Schema>> {
  const properties: Record<string, Schema> = {};
  for (const [name, node] of Object.entries(nodes)) {
    const get = () => {
      const value = { ...make(node), ...(goFields && goFacts(name, goFields)) };
      Object.defineProperty(properties, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(properties, name, { get, enumerable: true, configurable: true });
  }
  return properties;
}

/** The server looks at this list before it writes it, and takes an empty one for a wish. */
const TOLD_FROM_ABSENT = ['managedFields'];

function goFacts(name: string, { pointers, written, types, embedded }: GoFields): Schema {
  const isTold = pointers.includes(name) || TOLD_FROM_ABSENT.includes(name);
  const whenEmpty = isTold ? 'kept' : written.includes(name) ? 'written' : 'omitted';
  const [goType, goWithin] = [types[name], embedded?.[name]];
  return { whenEmpty, ...(goType !== undefined && { goType }), ...(goWithin !== undefined && { goWithin }) };
}
