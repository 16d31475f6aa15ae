/** Where in the page one is: the part of the address after `#`, read and written. A cluster is named only where it has to be. */

export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'volumes' }
  | { readonly view: 'volume'; readonly name: string }
  | { readonly view: 'nodes' }
  | { readonly view: 'node'; readonly name: string }
  | { readonly view: 'pools' }
  | { readonly view: 'pool'; readonly name: string }
  | { readonly view: 'syncs' }
  | { readonly view: 'sync'; readonly name: string }
  | { readonly view: 'nowhere'; readonly path: string };

export interface Place {
  readonly route: Route;
  readonly cluster?: string;
  /** What a view itself put there: filters, order. */
  readonly params: URLSearchParams;
}

const OVERVIEW: Route = { view: 'overview' };

export function placeOf(hash: string): Place {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#/, ''), '?');
  const params = new URLSearchParams(query);
  const cluster = params.get('cluster');
  params.delete('cluster');
  return { route: routeOf(path), params, ...(cluster !== null && { cluster }) };
}

function routeOf(path: string): Route {
  const [view, ...names] = path.split('/').filter(Boolean).map(decoded);
  const name = names.join('/');
  switch (view) {
    case undefined:
    case 'overview':
      return OVERVIEW;
    case 'volumes':
      return name ? { view: 'volume', name } : { view: 'volumes' };
    case 'nodes':
      return name ? { view: 'node', name } : { view: 'nodes' };
    case 'pools':
      return name ? { view: 'pool', name } : { view: 'pools' };
    case 'sync':
      return name ? { view: 'sync', name } : { view: 'syncs' };
    default:
      return { view: 'nowhere', path };
  }
}

/** Links are made by people, too: what cannot be decoded is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const SECTIONS = {
  overview: 'overview',
  volumes: 'volumes',
  volume: 'volumes',
  nodes: 'nodes',
  node: 'nodes',
  pools: 'pools',
  pool: 'pools',
  syncs: 'sync',
  sync: 'sync',
  nowhere: '',
} as const;

/** The part of the page that a route belongs to, as its address and its tab name it. */
export const sectionOf = (route: Route): string => SECTIONS[route.view];

export function hrefOf(route: Route, params?: URLSearchParams, cluster?: string): string {
  const path = 'name' in route ? `/${route.name.split('/').map(encodeURIComponent).join('/')}` : '';
  const query = new URLSearchParams(params);
  if (cluster !== undefined) query.set('cluster', cluster);
  const text = query.toString();
  return `#/${sectionOf(route)}${path}${text && `?${text}`}`;
}

function splitOnce(text: string, at: string): readonly string[] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
