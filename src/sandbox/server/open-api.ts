/** OpenAPI version 3, as far as kubectl asks: which requests there are, and that they know field validation and dry runs. */
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Answer } from './answer.ts';
import { type GroupVersion, groupsIn, kindsIn } from './discovery.ts';

const INFO = { title: 'Holdfast sandbox', version: 'v1.36.3' };

export function openApiIndex(registry: Registry): object {
  const places = [
    'api/v1',
    ...[...groupsIn(registry)].flatMap(([group, versions]) => versions.map((version) => `apis/${group}/${version}`)),
  ];
  return { paths: Object.fromEntries(places.map((place) => [place, { serverRelativeURL: `/openapi/v3/${place}` }])) };
}

export function openApiOf(registry: Registry, place: GroupVersion): object {
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: Object.fromEntries(kindsIn(registry, place).map((kind) => [pathOf(kind), operationsOf(kind)])),
    components: { schemas: {} },
  };
}

/** It is asked for with a sign that no type of content may have, and answered without. */
const ASKED_FOR = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const OLD_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The first field of the document, `swagger: "2.0"`, and no other. */
const OLD_DOCUMENT = '\n\u00032.0';

/**
 * Version 2, which describes nothing. kubectl asks for it when a kind is not in version 3, and says that there is no such kind when it
 * is not here either; without an answer it says that it could not validate, and that one might do without.
 */
export function oldOpenApi(accept: string): Answer {
  if (accept.includes(ASKED_FOR)) return { status: 200, body: OLD_DOCUMENT, contentType: OLD_PROTOBUF };
  return { status: 200, body: { swagger: '2.0', info: INFO, paths: {}, definitions: {} } };
}

function pathOf({ resource: { group, version, plural, namespaced } }: Kind): string {
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  return `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}`;
}

const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });
const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(parameter);

/** kubectl knows the built-in kinds by itself, and takes what it knows where nothing is said about strategic merge patches. */
function operationsOf({ resource: { group, version, kind } }: Kind): object {
  const about = { 'x-kubernetes-group-version-kind': { group, version, kind }, responses: {} };
  const content = {
    'application/merge-patch+json': {},
    'application/json-patch+json': {},
    'application/apply-patch+yaml': {},
  };
  return {
    put: { ...about, 'x-kubernetes-action': 'put', parameters: PARAMETERS },
    patch: { ...about, 'x-kubernetes-action': 'patch', parameters: PARAMETERS, requestBody: { content } },
  };
}
