/** What the server has besides objects: health, version, discovery, OpenAPI. */
import { sandboxVersion } from '../../api/sandbox-version.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Answer } from './answer.ts';
import { aggregated, groupOf, groupsIn, resourceList } from './discovery.ts';
import { acceptedIn } from './form.ts';
import { oldOpenApi, openApiIndex, openApiOf } from './open-api.ts';
import { noSuchResource, notAcceptable } from './refusals.ts';

/** What the sandbox behaves like. */
const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: sandboxVersion('v1.36.3'),
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** Where else it could be reached, nobody needs to know. */
const ANYWHERE = [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }];

const ok = (body: object): Answer => ({ status: 200, body });
const text = (status: number, body: string): Answer => ({ status, body, contentType: 'text/plain; charset=utf-8' });
const NO_PAGE = text(404, '404 page not found\n');
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export function page(path: string, accept: string, registry: Registry): Answer {
  const segments = path.split('/').filter((segment) => segment !== '');
  const [root, ...rest] = segments;
  if (root === 'api' || root === 'apis') return discovery(root, rest, accept, registry);
  if (root === 'openapi') return openApi(rest, accept, registry);
  if (path === '/version' || path === '/version/') return ok(VERSION);
  if (root !== undefined && ['healthz', 'livez', 'readyz'].includes(root)) return text(200, 'ok');
  return root === undefined ? ok({ paths: pathsOf(registry) }) : NO_PAGE;
}

const pathsOf = (registry: Registry): readonly string[] => [
  '/api',
  '/api/v1',
  '/apis',
  ...[...groupsIn(registry)].flatMap(([group, versions]) => [
    `/apis/${group}`,
    ...versions.map((version) => `/apis/${group}/${version}`),
  ]),
  '/healthz',
  '/livez',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/version',
];

function discovery(root: 'api' | 'apis', rest: readonly string[], accept: string, registry: Registry): Answer {
  if (acceptedIn(accept).length === 0) throw notAcceptable();
  const [first, version] = rest;
  if (first === undefined) return entrance(root, accept, registry);
  if (root === 'api') return orNoResource(resourceList(registry, { group: '', version: first }));
  const versions = groupsIn(registry).get(first);
  if (!versions) return NO_PAGE;
  if (version === undefined) return ok({ kind: 'APIGroup', apiVersion: 'v1', ...groupOf(first, versions) });
  const isOurs = registry.all.some(({ resource, isCustom }) => resource.group === first && !isCustom);
  const list = resourceList(registry, { group: first, version });
  return isOurs ? orNoResource(list) : orNoPage(list);
}

/** Of groups that are there in every cluster. */
function orNoResource(body: object | undefined): Answer {
  if (!body) throw noSuchResource();
  return ok(body);
}

const orNoPage = (body: object | undefined): Answer => (body ? ok(body) : NO_PAGE);

function entrance(root: 'api' | 'apis', accept: string, registry: Registry): Answer {
  const isCore = root === 'api';
  if (accept.includes('as=APIGroupDiscoveryList')) {
    return { status: 200, body: aggregated(registry, isCore), contentType: AGGREGATED };
  }
  if (isCore) return ok({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: ANYWHERE });
  const groups = [...groupsIn(registry)].map(([group, versions]) => groupOf(group, versions));
  return ok({ kind: 'APIGroupList', apiVersion: 'v1', groups });
}

function openApi([version, root, ...rest]: readonly string[], accept: string, registry: Registry): Answer {
  if (version === 'v2' && root === undefined) return oldOpenApi(accept);
  if (version !== 'v3') return NO_PAGE;
  if (root === undefined) return ok(openApiIndex(registry));
  const [first = '', second = ''] = rest;
  return ok(openApiOf(registry, root === 'api' ? { group: '', version: first } : { group: first, version: second }));
}
