/** What a request to an API server asks for, read from its method and URL. */

export interface KubeCall {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; else the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Empty for anything but an API resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export function kubeCall(method: string, url: string): KubeCall {
  const { pathname, searchParams } = new URL(url, 'http://any');
  const target = targetOf(pathname.split('/').filter((part) => part !== ''));
  const watching = ['true', '1'].includes(searchParams.get('watch') ?? '');
  return { method, url, verb: verbOf(method, target, watching), ...target };
}

type Target = Pick<KubeCall, 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

const NO_RESOURCE: Target = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };

/** `api/VERSION/…` or `apis/GROUP/VERSION/…`, then `[namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]`. */
function targetOf(path: readonly string[]): Target {
  const core = path[0] === 'api';
  if (!core && path[0] !== 'apis') return NO_RESOURCE;
  const group = core ? '' : (path[1] ?? '');
  const version = path[core ? 1 : 2] ?? '';
  const rest = path.slice(core ? 2 : 3);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] ?? '');
  const [resource = '', name = '', subresource = ''] = inNamespace ? rest.slice(2) : rest;
  return { group, version, resource, subresource, namespace: inNamespace ? (rest[1] ?? '') : '', name };
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

function verbOf(method: string, { resource, name }: Target, watching: boolean): string {
  if (resource === '') return method.toLowerCase();
  if (method === 'GET') return watching ? 'watch' : name === '' ? 'list' : 'get';
  if (method === 'DELETE') return name === '' ? 'deletecollection' : 'delete';
  return { POST: 'create', PUT: 'update', PATCH: 'patch' }[method] ?? method.toLowerCase();
}
