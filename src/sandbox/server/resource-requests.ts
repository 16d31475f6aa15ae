/** Requests for objects: each verb of the API, and the doors that some kinds have besides. */

import type { Clock } from '../../kit/clock/clock.ts';
import { nameOf } from '../../kit/kube/resource.ts';
import type { Access } from '../access/access.ts';
import { REVIEWS } from '../access/reviews.ts';
import { answeredTokenRequest, tokenRequests } from '../access/token-request.ts';
import { type ApiObject, asJson, asObject, textAt } from '../api-object.ts';
import type { Json } from '../json.ts';
import { podDisruptionBudgets } from '../kinds/small-kinds.ts';
import type { Store } from '../store/store.ts';
import type { Answer } from './answer.ts';
import { subresourcesOf } from './discovery.ts';
import { type Form, formFor } from './form.ts';
import { owned } from './ownership.ts';
import { patched } from './patches.ts';
import { bound, charged } from './pod-doors.ts';
import { read } from './reading.ts';
import type { Reads } from './reads.ts';
import { badRequest, failed, methodNotAllowed, noSuchResource, notInSandbox, type StatusBody } from './refusals.ts';
import { appliedIn, bodyIn, deleteOptionsIn, objectIn, patchIn, typed, typedPatch } from './request-body.ts';
import { revisionIn } from './resource-version.ts';
import { asScale, scaled } from './scale.ts';
import type { ServerRequest } from './server.ts';
import type { Target, User, WriteRequest } from './target.ts';
import { isWatch } from './verb.ts';
import { Watch } from './watches.ts';
import { APPLY, writeOptionsIn } from './write-options.ts';
import { checkName, inNamespace, type Writes } from './writes.ts';

interface Asked extends ServerRequest {
  readonly user: User;
  readonly query: URLSearchParams;
  readonly target: Target;
  readonly warn: (warning: string) => void;
}

export interface ResourceRequestsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly reads: Reads;
  readonly writes: Writes;
  readonly access: Access;
}

/** A real server would speak to the node. */
const ON_NODES: ReadonlySet<string> = new Set([
  'log',
  'exec',
  'attach',
  'portforward',
  'proxy',
  'ephemeralcontainers',
  'resize',
]);

export class ResourceRequests {
  readonly #options: ResourceRequestsOptions;

  constructor(options: ResourceRequestsOptions) {
    this.#options = options;
  }

  answer(asked: Omit<Asked, 'warn'>): Answer {
    const warnings: string[] = [];
    const answer = this.#answer({ ...asked, warn: (warning) => warnings.push(warning) });
    return 'events' in answer || warnings.length === 0 ? answer : { ...answer, warnings };
  }

  #answer(asked: Asked): Answer {
    const { method, target } = asked;
    checkSubresource(target, method);
    if (target.name === undefined) return this.#onCollection(asked);
    if (method === 'GET') return this.#get(asked);
    if (method === 'PUT') return this.#update(asked);
    if (method === 'PATCH') return this.#patch(asked);
    if (method === 'DELETE' && !target.subresource) return this.#delete(asked);
    if (method === 'POST' && target.subresource) return this.#throughDoor(asked);
    throw methodNotAllowed();
  }

  #onCollection(asked: Asked): Answer {
    const { method, target, query } = asked;
    const { resource, verbs } = target.kind;
    const isPlaced = !resource.namespaced || target.namespace !== undefined;
    const mayBe = (wanted: string, verb: string) => method === wanted && verbs.includes(verb);
    if (mayBe('GET', 'watch') && isWatch(query)) return this.#watch(asked);
    if (mayBe('GET', 'list')) return ok(this.#form(asked).list(this.#options.reads.list(target, query)));
    if (mayBe('POST', 'create') && isPlaced) return this.#create(asked);
    if (mayBe('DELETE', 'deletecollection') && isPlaced) return this.#deleteAll(asked);
    throw methodNotAllowed();
  }

  #get(asked: Asked): Answer {
    const { target, query } = asked;
    revisionIn(query.get('resourceVersion') || '0', failed);
    const object = this.#options.reads.get(target);
    return ok(target.subresource === 'scale' ? asScale(target.kind, object) : this.#form(asked).one(object));
  }

  #watch(asked: Asked): Answer {
    const { target, query, signal } = asked;
    const { store, clock } = this.#options;
    return { status: 200, events: this.#form(asked).events(new Watch({ target, query, store, clock, signal })) };
  }

  #create(asked: Asked): Answer {
    const { target, body, user } = asked;
    const sent = objectIn(body, target.kind, contentTypeOf(asked));
    const review = REVIEWS.find(({ resource }) => nameOf(resource) === nameOf(target.kind.resource));
    if (review) {
      const context = { user, ...this.#options.access, now: this.#options.clock.now() };
      return { status: 201, body: review.answer(this.#asked(asked, target, sent), context) };
    }
    const made = this.#options.writes.create(target, sent, this.#request(asked));
    return { status: 201, body: this.#form(asked).one(made) };
  }

  #update(asked: Asked): Answer {
    const { target, body } = asked;
    if (target.subresource === 'scale') return this.#scale(asked, () => asObject(bodyIn(body)));
    const sent = objectIn(body, target.kind, contentTypeOf(asked));
    checkName(target, sent);
    const uid = textAt(sent, 'metadata', 'uid');
    return this.#write(asked, () => sent, uid ? { replaces: uid } : {});
  }

  #patch(asked: Asked): Answer {
    const { target, body } = asked;
    const type = contentTypeOf(asked);
    const patch = patchIn(body, type === APPLY);
    if (type === APPLY) return this.#apply(asked, patch);
    if (target.subresource === 'scale') return this.#scale(asked, (scale) => patched(type, scale, patch, target.kind));
    return this.#write(asked, (live) => typedPatch(asJson(patched(type, live, patch, target.kind)), target.kind), {
      ...(!target.kind.isCustom && { patch: type === STRATEGIC ? 'strategic' : 'plain' }),
    });
  }

  #apply(asked: Asked, patch: Json): Answer {
    const { target } = asked;
    if (target.subresource === 'scale') throw notInSandbox('server-side apply to a scale');
    const config = appliedIn(patch, target.kind);
    const { object, created } = this.#options.writes.apply(target, config, this.#request(asked));
    return { status: created ? 201 : 200, body: this.#form(asked).one(object) };
  }

  #write(asked: Asked, change: (live: ApiObject) => ApiObject, more: Partial<WriteRequest> = {}): Answer {
    const { target } = asked;
    const nothing = asObject({ metadata: {} });
    const { object, created } = this.#options.writes.update(target, (live) => change(live ?? nothing), {
      ...this.#request(asked),
      ...more,
    });
    return { status: created ? 201 : 200, body: this.#form(asked).one(object) };
  }

  #scale(asked: Asked, change: (scale: ApiObject) => ApiObject): Answer {
    const { kind, subresource: _, ...place } = asked.target;
    const toScale = (live: ApiObject | undefined) => {
      const current = live ?? this.#options.reads.get(asked.target);
      return scaled(kind, current, change(asScale(kind, current)));
    };
    const { object } = this.#options.writes.update({ kind, ...place }, toScale, {
      ...this.#request(asked),
      through: 'scale',
    });
    return ok(asScale(kind, object));
  }

  #delete(asked: Asked): Answer {
    const { target, body, query } = asked;
    const request = { ...this.#request(asked), ...deleteOptionsIn(body, query) };
    const { object, isGone } = this.#options.writes.delete(target, request);
    return ok(isGone && !target.kind.returnsDeleted ? deletedStatus(target, object) : this.#form(asked).one(object));
  }

  #deleteAll(asked: Asked): Answer {
    const { target, body, query } = asked;
    const { reads, writes } = this.#options;
    const request = { ...this.#request(asked), ...deleteOptionsIn(body, query) };
    const found = reads.list(target, query);
    for (const { metadata } of found.items) {
      const { name = '', namespace } = metadata;
      writes.delete({ ...target, name, ...(namespace && { namespace }) }, request);
    }
    return ok(this.#form(asked).list(found));
  }

  #throughDoor(asked: Asked): Answer {
    const { target, body } = asked;
    const { reads, access, store, clock } = this.#options;
    const { subresource, ...whole } = target;
    const sent = asObject(bodyIn(body));
    if (subresource === 'token') {
      const wanted = this.#asked(asked, { ...target, kind: tokenRequests }, typed(bodyIn(body), tokenRequests));
      const answered = answeredTokenRequest(reads.get(whole), wanted, access.tokens, store, clock);
      return { status: 201, body: answered };
    }
    if (subresource === 'binding') return this.#bind(asked, sent);
    if (subresource === 'eviction') return this.#evict(asked, sent);
    throw methodNotAllowed();
  }

  /** A question, as the server has read it: it has owners of fields, though nothing of it is kept. */
  #asked(asked: Asked, target: Target, sent: ApiObject): ApiObject {
    const request = this.#request(asked);
    const question = inNamespace(target, read(target.kind, sent, request));
    return owned(target, question, undefined, request, this.#options.clock.now());
  }

  #bind(asked: Asked, binding: ApiObject): Answer {
    const { reads, writes, clock } = this.#options;
    if (textAt(binding, 'metadata', 'name') !== asked.target.name)
      throw badRequest('name in URL does not match name in Binding object');
    const pod = bound(reads.get(asked.target), binding, clock.now());
    writes.update(asked.target, () => pod, this.#request(asked));
    return { status: 201, body: SUCCESS };
  }

  #evict(asked: Asked, eviction: ApiObject): Answer {
    const { reads, writes, store } = this.#options;
    const { subresource: _, ...target } = asked.target;
    const budget = charged(reads.get(target), store, this.#options.clock.now());
    const request = this.#request(asked);
    if (budget) {
      const { name = '', namespace = '' } = budget.metadata;
      writes.update({ kind: podDisruptionBudgets, name, namespace, subresource: 'status' }, () => budget, {
        ...request,
        fieldManager: 'kube-apiserver',
      });
    }
    writes.delete(target, {
      ...request,
      ...deleteOptionsIn(JSON.stringify(eviction.deleteOptions ?? {}), asked.query),
    });
    return { status: 201, body: SUCCESS };
  }

  #form({ target, header, query }: Asked): Form {
    return formFor(target.kind, header('accept') ?? '', query, () => this.#options.clock.now());
  }

  #request(asked: Asked): WriteRequest {
    const { user, method, query, header, warn } = asked;
    const agent = header('user-agent');
    return { user, ...writeOptionsIn(method, query, contentTypeOf(asked)), warn, ...(agent && { userAgent: agent }) };
  }
}

const STRATEGIC = 'application/strategic-merge-patch+json';

const contentTypeOf = ({ header }: Asked): string => (header('content-type') ?? '').split(';')[0] ?? '';

const ok = (body: object): Answer => ({ status: 200, body });

const SUCCESS: StatusBody = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function deletedStatus({ kind: { resource } }: Target, { metadata: { name = '', uid = '' } }: ApiObject): StatusBody {
  const { group, plural } = resource;
  const details = { name, ...(group && { group }), kind: plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'update', PATCH: 'patch', POST: 'create' };

function checkSubresource({ kind, subresource }: Target, method: string): void {
  if (subresource === undefined) return;
  const found = subresourcesOf(kind).find(({ name }) => name === subresource);
  if (found?.verbs.includes(VERBS[method] ?? '')) return;
  if (found) throw methodNotAllowed();
  const [door = ''] = subresource.split('/');
  if (!kind.isCustom && ON_NODES.has(door)) throw notInSandbox(`${kind.resource.plural}/${door}`);
  throw noSuchResource();
}
