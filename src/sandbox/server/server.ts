/** The API server: a request in, an answer out. */
import type { Access } from '../access/access.ts';
import { isLeftOut } from '../kinds/left-out.ts';
import type { Registry } from '../kinds/registry.ts';
import { type Answer, answerTo } from './answer.ts';
import { page } from './pages.ts';
import { notInSandbox, type Refusal } from './refusals.ts';
import type { ResourceRequests } from './resource-requests.ts';
import { type ResourceRoute, refusalOf, routeOf, targetOf } from './route.ts';
import type { User } from './target.ts';
import { verbOf } from './verb.ts';

export interface ServerRequest {
  /** Nobody where the Authorization header says who it is. */
  readonly user?: User;
  readonly method: string;
  /** Path and query, encoded. */
  readonly path: string;
  /** By their names in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  readonly signal: AbortSignal;
}

export class Server {
  readonly #access: Access;
  readonly #registry: Registry;
  readonly #resources: ResourceRequests;

  constructor(access: Access, registry: Registry, resources: ResourceRequests) {
    this.#access = access;
    this.#registry = registry;
    this.#resources = resources;
  }

  /** Never throws: what goes wrong is an answer, too. */
  answer(request: ServerRequest): Answer {
    try {
      return this.#answer(request);
    } catch (error) {
      return answerTo(error);
    }
  }

  #answer(request: ServerRequest): Answer {
    const { method, header } = request;
    const { pathname, query } = partsOf(request.path);
    const sender = request.user ?? this.#access.authenticate(header('authorization'));
    const route = routeOf(pathname);
    const verb = verbOf(method, route, query);
    const user = this.#access.impersonated(sender, header, verb, route);
    this.#access.authorize(user, verb, route);
    if (route.to === 'page') return page(pathname, header('accept') ?? '', this.#registry);
    if (!this.#registry.find(route)) return this.#unknown(route);
    return this.#resources.answer({ ...request, user, query, target: targetOf(route, this.#registry) });
  }

  /** Groups that definitions add have no words of their own for what is not in them. */
  #unknown(route: ResourceRoute): Answer {
    const { group, plural } = route;
    if (isLeftOut(group, plural)) throw kindNotInSandbox(group === '' ? plural : `${plural}.${group}`);
    const ofGroup = this.#registry.all.filter(({ resource }) => resource.group === group);
    if (ofGroup.every(({ isCustom }) => isCustom)) return NOT_THERE;
    throw refusalOf(route);
  }
}

/** There are too many to name those that it has. */
const kindNotInSandbox = (name: string): Refusal =>
  notInSandbox(`${name}, only the kinds that Holdfast needs (kubectl api-resources lists them)`);

/** Most paths are plain, and need none of what a URL can be. */
function partsOf(path: string): { readonly pathname: string; readonly query: URLSearchParams } {
  if (/\/\.|\/\/|[#\\]/.test(path)) {
    const { pathname, searchParams: query } = new URL(path, 'http://sandbox');
    return { pathname, query };
  }
  const mark = path.indexOf('?');
  if (mark < 0) return { pathname: path, query: new URLSearchParams() };
  return { pathname: path.slice(0, mark), query: new URLSearchParams(path.slice(mark)) };
}

const NOT_THERE: Answer = { status: 404, body: '404 page not found\n', contentType: 'text/plain; charset=utf-8' };
