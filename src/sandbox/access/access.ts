/** Who asks, and whether he may. */
import type { Random } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import { badRequest, forbidden, Refusal } from '../server/refusals.ts';
import type { ResourceRoute, Route } from '../server/route.ts';
import type { User } from '../server/target.ts';
import type { Store } from '../store/store.ts';
import { Authorizer } from './authorizer.ts';
import type { Attributes } from './rules.ts';
import { serviceAccountUser, Tokens } from './tokens.ts';

const AUTHENTICATED = 'system:authenticated';
const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export class Access {
  readonly authorizer: Authorizer;
  readonly tokens: Tokens;

  constructor(options: { readonly store: Store; readonly clock: Clock; readonly random: Random }) {
    this.authorizer = new Authorizer(options.store);
    this.tokens = new Tokens(options);
  }

  /** By the Authorization header. Throws when it names nobody. */
  authenticate(header: string | undefined): User {
    if (!header) return ANONYMOUS;
    const token = /^bearer\s+(\S+)$/i.exec(header)?.[1] ?? '';
    const found = this.tokens.identify(token);
    if (!found) throw new Refusal({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
    return found.user;
  }

  /** As whom the user wants to be treated, if he may: himself, unless a header says otherwise. */
  impersonated(user: User, header: (name: string) => string | undefined, verb: string, route: Route): User {
    const name = header('impersonate-user');
    const groups = header('impersonate-group')?.split(', ') ?? [];
    if (!name) return groups.length === 0 ? user : refuseNameless(groups);
    const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
    const asked = account
      ? { resource: 'serviceaccounts', namespace: account[1] ?? '', name: account[2] ?? '' }
      : { resource: 'users', name };
    const all = [asked, ...groups.map((group) => ({ resource: 'groups', name: group }))];
    const may = (one: typeof asked) => this.authorizer.decide(user, { verb: 'impersonate', group: '', ...one }).allowed;
    // The server tells of the narrower right, to do just this in another's name, which it would have taken as well.
    if (!all.every(may))
      throw refused(user, `impersonate-on:${account ? 'serviceaccount' : 'user-info'}:${verb}`, route);
    if (account && groups.length === 0) return serviceAccountUser(account[1] ?? '', account[2] ?? '');
    return { name, groups: [...groups, AUTHENTICATED] };
  }

  /** Throws when he may not. */
  authorize(user: User, verb: string, route: Route): void {
    const { allowed, reason } = this.authorizer.decide(user, askedBy(verb, route));
    if (!allowed) throw refused(user, verb, route, reason && `: ${reason}`);
  }
}

function refused(user: User, verb: string, route: Route, why = ''): Refusal {
  if (route.to === 'resource') return forbiddenResource(user, verb, route, why);
  const message = `forbidden: User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(route.path)}${why}`;
  return new Refusal({ code: 403, reason: 'Forbidden', message, details: {} });
}

function refuseNameless(groups: readonly string[]): never {
  const list = groups.map((group) => JSON.stringify(group)).join(', ');
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{${list}}, Extra:map[string][]string(nil)} without impersonating a user name`,
  );
}

/** The same for the same, as routes are: what was decided before is then found again. */
function askedBy(verb: string, route: Route): Attributes {
  const byVerb = asked.get(route) ?? new Map<string, Attributes>();
  const known = byVerb.get(verb);
  if (known) return known;
  const attributes = attributesOf(verb, route);
  asked.set(route, byVerb.set(verb, attributes));
  return attributes;
}

const asked = new WeakMap<Route, Map<string, Attributes>>();

function attributesOf(verb: string, route: Route): Attributes {
  if (route.to === 'page') return { verb, path: route.path };
  const { plural, to: _, version: _v, ...rest } = route;
  return { verb, resource: plural, ...rest };
}

function forbiddenResource(user: User, verb: string, route: ResourceRoute, why: string): Refusal {
  const { group, version, plural, namespace, name = '', subresource } = route;
  const what = subresource ? `${plural}/${subresource}` : plural;
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const sentence = `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}${why}`;
  return forbidden({ group, version, plural, kind: '', namespaced: false }, name, sentence);
}
