/**
 * The Kubernetes API: objects in and out as raw JSON, so that fields which we do not know survive.
 * Every write takes its preconditions as arguments, and a write that may have happened is sent again only if they make that safe.
 */

import { ApiError, hasReason } from './api-error.ts';
import { type Call, Caller, type CallerOptions, type WriteGate } from './caller.ts';
import { formatJson, parseJson } from './json.ts';
import { apiVersionOf, collectionPath, type KubeObject, objectPath, type Ref, type Resource } from './resource.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** How long each attempt may take. What can be sent again safely is tried several times. */
  readonly timeoutMs?: number;
}

export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends CallOptions, Selection {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}

export interface WatchOptions extends Selection {
  readonly signal: AbortSignal;
  readonly resourceVersion?: string;
  /** Asks the server for the present state as ADDED events first, ended by a bookmark, instead of a list. */
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  readonly subresource?: string;
  /** The server checks and answers as usual, and stores nothing. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers instead of failing with a conflict. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly preconditions?: Preconditions;
  readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

/** The write fails with a conflict unless the object is still this one, and still at this version where one is given. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface ObjectList<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[];
}

/** Who answers lists: a client, or somebody who keeps them. */
export interface Lists {
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>>;
}

export type JsonPatch = readonly {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
  readonly from?: string;
}[];

/** How many objects come with one answer, where all are asked for. */
const PAGE = 500;

export class KubeClient implements Lists {
  readonly #caller: Caller;
  readonly #lists: Lists | undefined;

  constructor(caller: Caller | CallerOptions, lists?: Lists) {
    this.#caller = caller instanceof Caller ? caller : new Caller(caller);
    this.#lists = lists;
  }

  /** The same client, whose writes are refused whenever the gate is closed. */
  gatedBy(gate: WriteGate): KubeClient {
    return new KubeClient(this.#caller.gatedBy(gate), this.#lists);
  }

  /** The same client, which has its lists from somebody else. */
  listingFrom(lists: Lists): KubeClient {
    return new KubeClient(this.#caller, lists);
  }

  async get<T extends KubeObject>(resource: Resource<T>, ref: Ref, options: CallOptions = {}): Promise<T> {
    return this.#ask({ ...options, method: 'GET', path: objectPath(resource, ref) });
  }

  /** Like `get`, with nothing for an object that is not there. */
  async find<T extends KubeObject>(resource: Resource<T>, ref: Ref, options: CallOptions = {}): Promise<T | undefined> {
    try {
      return await this.get(resource, ref, options);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** One page: as many items as `limit` allows, and where the next page starts. */
  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    if (this.#lists) return this.#lists.list(resource, options);
    const { signal, timeoutMs, namespace, ...query } = options;
    const path = withQuery(collectionPath(resource, namespace), query);
    const list = await this.#ask<ObjectList<T>>({ ...given({ signal, timeoutMs }), method: 'GET', path });
    return { metadata: list.metadata, items: list.items ?? [] };
  }

  /** All items, in pages. Throws `Expired` when the server has forgotten the first page before it was asked for the last. */
  async *pages<T extends KubeObject>(
    resource: Resource<T>,
    options: Selection & CallOptions = {},
  ): AsyncGenerator<readonly T[]> {
    let next: string | undefined;
    do {
      const { items, metadata } = await this.list(resource, {
        ...options,
        limit: PAGE,
        ...(next && { continue: next }),
      });
      yield items;
      next = metadata.continue;
    } while (next);
  }

  /** The events as they arrive, in batches. Ends when the server ends the stream; throws when it breaks. */
  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { signal, namespace, sendInitialEvents, ...query } = options;
    const path = withQuery(collectionPath(resource, namespace), {
      watch: true,
      allowWatchBookmarks: true,
      ...query,
      ...(sendInitialEvents && { sendInitialEvents, resourceVersionMatch: 'NotOlderThan' }),
    });
    const response = await this.#caller.open({ method: 'GET', path, signal });
    yield* watchEvents<T>(`watch ${path}`, response.body);
  }

  /** Never sent twice by itself: whether it happened, if the reply was lost, is for the caller to look up. */
  async create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write('POST', creationPath(resource, object, options), typed(resource, object), options, false);
  }

  /** The same for who makes very many and does not ask what became of them: the answers, larger than what was sent, are not parsed. */
  async createUnread<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<void> {
    const call = writing('POST', creationPath(resource, object, options), typed(resource, object), options, false);
    const text = await this.#caller.call(call);
    if (!text.startsWith('{')) throw noApiServer(call);
  }

  /** Replaces the object. With a resourceVersion in its metadata, only the version that was read. */
  async update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const path = objectPath(resource, refOfObject(object), options.subresource);
    return this.#write('PUT', path, typed(resource, object), options, Boolean(object.metadata.resourceVersion));
  }

  /**
   * Changes the fields that the patch names; `null` removes one. Preconditions stand in the patch's own metadata. Only with a
   * resourceVersion is it safe to repeat: else the second one would undo what somebody wrote after the first.
   */
  async mergePatch<T extends KubeObject>(
    resource: Resource<T>,
    ref: Ref,
    patch: { readonly metadata?: object; readonly [field: string]: unknown },
    options: WriteOptions & { readonly preconditions?: Preconditions } = {},
  ): Promise<T> {
    const { preconditions = {}, ...rest } = options;
    const body = { ...patch, metadata: { ...patch.metadata, ...preconditions } };
    return this.#patch(resource, ref, 'merge-patch', body, rest, Boolean(preconditions.resourceVersion));
  }

  /**
   * Carries out the operations in order, or none of them. A `test` operation is how it carries a precondition; with one of the
   * resourceVersion it is safe to repeat, with another it may not be, since the operations after it need not make that one fail.
   */
  async jsonPatch<T extends KubeObject>(
    resource: Resource<T>,
    ref: Ref,
    patch: JsonPatch,
    options: WriteOptions = {},
  ): Promise<T> {
    const conditional = patch.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
    return this.#patch(resource, ref, 'json-patch', patch, options, conditional);
  }

  /** Server-side apply: makes exactly the given fields ours and as given. With a uid in the metadata it never creates. */
  async apply<T extends KubeObject>(resource: Resource<T>, object: T, options: ApplyOptions): Promise<T> {
    return this.#patch(resource, refOfObject(object), 'apply-patch', typed(resource, object), options, true);
  }

  /** Says whether there was anything to delete. Sent again after a lost reply when it carries preconditions. */
  async delete(resource: Resource, ref: Ref, options: DeleteOptions = {}): Promise<boolean> {
    const { preconditions, propagation, gracePeriodSeconds, dryRun, ...call } = options;
    const body = formatJson({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...given({
        preconditions,
        propagationPolicy: propagation,
        gracePeriodSeconds,
        dryRun: dryRun ? ['All'] : undefined,
      }),
    });
    const repeatable = Boolean(preconditions?.uid || preconditions?.resourceVersion);
    try {
      await this.#caller.call({ ...call, method: 'DELETE', path: objectPath(resource, ref), body, repeatable });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return false;
      throw error;
    }
  }

  /** Any path that is not an object's: version, discovery, access reviews, token requests. A POST is a write like any other, but for reviews. */
  async raw(method: 'GET' | 'POST', path: string, body?: unknown, options: CallOptions = {}): Promise<unknown> {
    const text = body === undefined ? {} : { body: formatJson(body) };
    const readOnly = method === 'GET' || REVIEWS.test(path);
    return this.#ask({ ...options, ...text, method, path, readOnly });
  }

  async #patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: Ref,
    type: 'merge-patch' | 'json-patch' | 'apply-patch',
    body: unknown,
    options: WriteOptions,
    repeatable: boolean,
  ): Promise<T> {
    const path = objectPath(resource, ref, options.subresource);
    const contentType = type === 'apply-patch' ? 'application/apply-patch+yaml' : `application/${type}+json`;
    try {
      return await this.#write('PATCH', path, body, options, repeatable, contentType);
    } catch (error) {
      throw isAnotherObject(error) ? asConflict(error) : error;
    }
  }

  async #write<T>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    options: WriteOptions & { readonly force?: boolean },
    repeatable: boolean,
    contentType?: string,
  ): Promise<T> {
    return this.#ask(writing(method, path, body, options, repeatable, contentType));
  }

  async #ask<T>(call: Call): Promise<T> {
    const text = await this.#caller.call(call);
    try {
      return parseJson(text) as T;
    } catch (cause) {
      throw noApiServer(call, { cause });
    }
  }
}

const noApiServer = ({ method, path }: Call, options?: ErrorOptions): Error =>
  new Error(`${method} ${path}: what answered is not an API server: no JSON came`, options);

function writing(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: unknown,
  options: WriteOptions & { readonly force?: boolean },
  repeatable: boolean,
  contentType?: string,
): Call {
  const { dryRun, fieldManager, force, signal, timeoutMs } = options;
  const query = withQuery(path, { dryRun: dryRun ? 'All' : undefined, fieldManager, force });
  return { ...given({ signal, timeoutMs, contentType }), method, path: query, body: formatJson(body), repeatable };
}

function creationPath(resource: Resource, object: KubeObject, { subresource }: WriteOptions): string {
  const { namespace } = object.metadata;
  if (resource.namespaced && !namespace) throw new Error(`a ${resource.kind} was to be created without its namespace`);
  return subresource ? objectPath(resource, refOfObject(object), subresource) : collectionPath(resource, namespace);
}

/** The server wants to be told what it is given. That is the resource's kind, unless the object says otherwise, as a Scale does. */
const typed = (resource: Resource, object: KubeObject): KubeObject => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  ...object,
});

const refOfObject = ({ metadata: { name = '', namespace } }: KubeObject): Ref => ({ name, ...given({ namespace }) });

/** Questions that are asked by a POST and change nothing: may I, who am I. */
const REVIEWS = /^\/apis\/(authorization|authentication)\.k8s\.io\//;

/** To a patch for an object with another uid the server answers that the uid is invalid, where it means a conflict. */
const isAnotherObject = (error: unknown): error is ApiError =>
  hasReason(error, 'Invalid') && error.causes.some(({ field }) => field === 'metadata.uid');

const asConflict = ({ request, detail, causes }: ApiError): ApiError =>
  new ApiError({ request, status: 409, reason: 'Conflict', detail, causes });

/** The entries that have a value. */
function given<T extends object>(entries: T): Given<T> {
  const found: Given<T> = {};
  for (const name in entries) if (entries[name] !== undefined) found[name] = entries[name] as Given<T>[typeof name];
  return found;
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withQuery(path: string, query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let text = path;
  let mark = '?';
  for (const name in query) {
    const value = query[name];
    if (value === undefined || value === '') continue;
    text += `${mark}${name}=${encodeURIComponent(value)}`;
    mark = '&';
  }
  return text;
}
