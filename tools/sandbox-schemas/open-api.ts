/** What an API server says about its kinds by OpenAPI, less what the sandbox does not need: descriptions, and kinds that it does not know. */
import type { Definitions, KindSchemas, SchemaNode } from '../../src/sandbox/schema/definitions.ts';
import { KINDS } from './kinds.ts';

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiNode>> };
}

interface OpenApiNode {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiNode[];
  readonly items?: OpenApiNode;
  readonly properties?: Readonly<Record<string, OpenApiNode>>;
  readonly additionalProperties?: OpenApiNode | boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

const KEPT = [
  'type',
  'format',
  'required',
  'default',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-preserve-unknown-fields',
];

/** `get` reads a path of the server. */
export async function readSchemas(get: (path: string) => Promise<unknown>): Promise<KindSchemas> {
  const apiVersions = Object.keys(KINDS);
  const path = (apiVersion: string) => `/openapi/v3/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
  const documents = await Promise.all(apiVersions.map((apiVersion) => get(path(apiVersion)) as Promise<OpenApi>));
  const all = Object.assign({}, ...documents.map(({ components }) => components.schemas)) as Record<
    string,
    OpenApiNode
  >;
  const kinds = kindsIn(all);
  return { kinds, definitions: reached(Object.values(kinds), all) };
}

/** `apps/v1/StatefulSet` → the name of its definition. */
function kindsIn(all: Readonly<Record<string, OpenApiNode>>): Readonly<Record<string, string>> {
  const named = Object.entries(all).flatMap(([name, node]) =>
    (node['x-kubernetes-group-version-kind'] ?? []).map(({ group, version, kind }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      return { apiVersion, kind, name };
    }),
  );
  const wanted = named.filter(({ apiVersion, kind }) => KINDS[apiVersion]?.includes(kind));
  return Object.fromEntries(
    wanted.map(({ apiVersion, kind, name }) => [`${apiVersion}/${kind}`, name] as const).sort(),
  );
}

/** The definitions that these lead to, themselves included. */
function reached(names: readonly string[], all: Readonly<Record<string, OpenApiNode>>): Definitions {
  const found = new Map<string, SchemaNode>();
  const visit = (name: string): void => {
    const node = all[name];
    if (found.has(name) || node === undefined) return;
    found.set(name, trimmed(node));
    for (const each of refsIn(node)) visit(each);
  };
  names.forEach(visit);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const nameOf = (ref: string): string => ref.slice('#/components/schemas/'.length);

function refsIn(node: OpenApiNode): readonly string[] {
  const { $ref, allOf = [], items, properties = {}, additionalProperties } = node;
  const inner = [...allOf, ...Object.values(properties), items, additionalProperties].filter(isNode);
  return [...($ref === undefined ? [] : [nameOf($ref)]), ...inner.flatMap(refsIn)];
}

const isNode = (value: unknown): value is OpenApiNode => typeof value === 'object' && value !== null;

/** A reference with something beside it is written as `allOf` of one. */
function trimmed(node: OpenApiNode): SchemaNode {
  const { properties, items, additionalProperties } = node;
  const $ref = node.$ref ?? node.allOf?.[0]?.$ref;
  return {
    ...($ref !== undefined && { $ref: nameOf($ref) }),
    ...Object.fromEntries(KEPT.filter((keyword) => keyword in node).map((keyword) => [keyword, node[keyword]])),
    ...(properties && { properties: mapped(properties) }),
    ...(items && { items: trimmed(items) }),
    ...(isNode(additionalProperties) && { additionalProperties: trimmed(additionalProperties) }),
  };
}

const mapped = (properties: Readonly<Record<string, OpenApiNode>>): Definitions =>
  Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, trimmed(each)]));
