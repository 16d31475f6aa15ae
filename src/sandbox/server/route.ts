/** What a path is about, before anything is known of what there is. */
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { remembering } from '../remembering.ts';
import { noSuchResource, notInSandbox, type Refusal } from './refusals.ts';
import type { Target } from './target.ts';

export type Route = ResourceRoute | PageRoute;

export interface ResourceRoute {
  readonly to: 'resource';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Of the server itself: discovery, health, version. */
interface PageRoute {
  readonly to: 'page';
  readonly path: string;
}

type Place = Pick<ResourceRoute, 'to' | 'group' | 'version'>;

export const routeOf: (path: string) => Route = remembering(routeIn);

function routeIn(path: string): Route {
  const [root, ...rest] = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
  const [first = '', second = ''] = rest;
  if (root === 'api' && rest.length > 1) return inGroup({ to: 'resource', group: '', version: first }, rest.slice(1));
  if (root === 'apis' && rest.length > 2)
    return inGroup({ to: 'resource', group: first, version: second }, rest.slice(2));
  return { to: 'page', path };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw noSuchResource();
  }
}

/** `pods`, `namespaces/x/pods/y/status`, `namespaces/x/status`, `nodes/y`. */
function inGroup(place: Place, segments: readonly string[]): ResourceRoute {
  const [first = '', namespace, plural, ...inside] = segments;
  if (first !== 'namespaces' || namespace === undefined) return within(place, first, segments.slice(1));
  const isOfNamespace = plural === undefined || plural === 'status' || plural === 'finalize';
  return isOfNamespace
    ? within({ ...place, namespace }, first, segments.slice(1))
    : within({ ...place, namespace }, plural, inside);
}

function within(
  place: Place & { readonly namespace?: string },
  plural: string,
  inside: readonly string[],
): ResourceRoute {
  const [name, subresource, ...more] = inside;
  const below = more.length === 0 ? subresource : [subresource, ...more].join('/');
  return { ...place, plural, ...(name && { name }), ...(below && { subresource: below }) };
}

export function targetOf(
  { group, version, plural, namespace, name, subresource }: ResourceRoute,
  registry: Registry,
): Target {
  const kind = registry.find({ group, version, plural });
  if (!kind || !isPlace(kind, namespace, name)) throw noSuchResource();
  return {
    kind,
    ...(kind.resource.namespaced && namespace && { namespace }),
    ...(name && { name }),
    ...(subresource && { subresource }),
  };
}

/** Why there is nothing of that name. */
export function refusalOf({ group, plural }: ResourceRoute): Refusal {
  if (plural === 'watch') return notInSandbox('paths of watches: ask with ?watch=true');
  if (group === '' && plural === 'bindings') return notInSandbox('bindings: send one to pods/binding');
  return noSuchResource();
}

/** What has a namespace is found there only, one by one; what has none is found in none. */
function isPlace({ resource }: Kind, namespace: string | undefined, name: string | undefined): boolean {
  if (resource.namespaced) return name === undefined || namespace !== undefined;
  return namespace === undefined || resource.plural === 'namespaces';
}
