/** OpenAPI version 3, as far as kubectl asks: which requests there are, and that they know field validation and dry runs. */
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { type GroupVersion, groupsIn, kindsIn } from './discovery.ts';

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
    info: { title: 'Holdfast sandbox', version: 'v1.36.3' },
    paths: Object.fromEntries(kindsIn(registry, place).map((kind) => [pathOf(kind), operationsOf(kind)])),
    components: { schemas: {} },
  };
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
