/**
 * The Kubernetes API: objects in and out as raw JSON, so that fields which we do not know survive.
 * Every write takes its preconditions as arguments, and a write that may have happened is sent again only if they make that safe.
 */

import { ApiError, hasReason } from './api-error.ts';
import { Caller, type CallerOptions, type WriteGate } from './caller.ts';
import { formatJson, parseJson } from './json.ts';
import { apiVersionOf, collectionPath, type KubeObject, objectPath, type Ref, type Resource } from './resource.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
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

export type JsonPatch = readonly {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
  readonly from?: string;
}[];

export class KubeClient {
  readonly #caller: Caller;

  constructor(caller: Caller | CallerOptions) {
    this.#caller = caller instanceof Caller ? caller : new Caller(caller);
  }

  /** The same client, whose writes are refused whenever the gate is closed. */
  gatedBy(gate: WriteGate): KubeClient {
    return new KubeClient(this.#caller.gatedBy(gate));
  }

  async get<T extends KubeObject>(resource: Resource<T>, ref: Ref, options: CallOptions = {}): Promise<T> {
    return this.#json(await this.#caller.call({ ...options, method: 'GET', path: objectPath(resource, ref) }));
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
    const { signal, timeoutMs, namespace, ...query } = options;
    const path = withQuery(collectionPath(resource, namespace), query);
    const list = this.#json<ObjectList<T>>(
      await this.#caller.call({ ...given({ signal, timeoutMs }), method: 'GET', path }),
    );
    return { metadata: list.metadata, items: list.items ?? [] };
  }

  /** The events as they arrive, in batches. Ends when the server ends the stream; throws when it breaks. */
  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { signal, namespace, ...query } = options;
    const initial = options.sendInitialEvents ? { resourceVersionMatch: 'NotOlderThan' } : {};
    const path = withQuery(collectionPath(resource, namespace), {
      watch: true,
      allowWatchBookmarks: true,
      ...query,
      ...initial,
    });
    const response = await this.#caller.open({ method: 'GET', path, signal });
    yield* watchEvents<T>(`watch ${path}`, response.body);
  }

  /** Never sent twice by itself: whether it happened, if the reply was lost, is for the caller to look up. */
  async create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, name } = object.metadata;
    const path = options.subresource
      ? objectPath(resource, { name: name ?? '', ...given({ namespace }) }, options.subresource)
      : collectionPath(resource, namespace);
    return this.#json(await this.#write('POST', path, this.#typed(resource, object), options, false));
  }

  /** Replaces the object. With a resourceVersion in its metadata, only the version that was read. */
  async update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, name, resourceVersion } = object.metadata;
    const path = objectPath(resource, { name: name ?? '', ...given({ namespace }) }, options.subresource);
    return this.#json(
      await this.#write('PUT', path, this.#typed(resource, object), options, resourceVersion !== undefined),
    );
  }

  /** Changes the fields that the patch names; `null` removes one. Preconditions stand in the patch's own metadata. */
  async mergePatch<T extends KubeObject>(
    resource: Resource<T>,
    ref: Ref,
    patch: { readonly metadata?: object; readonly [field: string]: unknown },
    options: WriteOptions & { readonly preconditions?: Preconditions } = {},
  ): Promise<T> {
    const { preconditions = {}, ...rest } = options;
    const body = { ...patch, metadata: { ...patch.metadata, ...preconditions } };
    return this.#patch(resource, ref, 'merge-patch', body, rest, isConditional(preconditions));
  }

  /** Carries out the operations in order, or none of them. A `test` operation is how it carries a precondition. */
  async jsonPatch<T extends KubeObject>(
    resource: Resource<T>,
    ref: Ref,
    patch: JsonPatch,
    options: WriteOptions = {},
  ): Promise<T> {
    const conditional = patch[0]?.op === 'test';
    return this.#patch(resource, ref, 'json-patch', patch, options, conditional);
  }

  /** Server-side apply: makes exactly the given fields ours and as given. With a uid in the metadata it never creates. */
  async apply<T extends KubeObject>(resource: Resource<T>, object: T, options: ApplyOptions): Promise<T> {
    const { namespace, name } = object.metadata;
    const ref = { name: name ?? '', ...given({ namespace }) };
    return this.#patch(resource, ref, 'apply-patch', this.#typed(resource, object), options, true);
  }

  /** Says whether there was anything to delete. Safe to repeat when it carries preconditions. */
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
    const repeatable = isConditional(preconditions ?? {});
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
    return this.#json(await this.#caller.call({ ...options, ...text, method, path, readOnly }));
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
      return this.#json(await this.#write('PATCH', path, body, options, repeatable, contentType));
    } catch (error) {
      throw isAnotherObject(error) ? asConflict(error) : error;
    }
  }

  #write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    options: WriteOptions & { readonly force?: boolean },
    repeatable: boolean,
    contentType?: string,
  ): Promise<string> {
    const { dryRun, fieldManager, force, signal, timeoutMs } = options;
    const query = given({ dryRun: dryRun ? 'All' : undefined, fieldManager, force });
    const call = given({ signal, timeoutMs, contentType });
    return this.#caller.call({ ...call, method, path: withQuery(path, query), body: formatJson(body), repeatable });
  }

  /** The server wants to be told what it is given; our callers have said so already by naming the resource. */
  #typed(resource: Resource, object: KubeObject): KubeObject {
    return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
  }

  #json<T>(text: string): T {
    return parseJson(text) as T;
  }
}

/** Questions that are asked by a POST and change nothing: may I, who am I. */
const REVIEWS = /^\/apis\/(authorization|authentication)\.k8s\.io\//;

/** To a patch for an object with another uid the server answers that the uid is invalid, where it means a conflict. */
const isAnotherObject = (error: unknown): error is ApiError =>
  hasReason(error, 'Invalid') && error.causes.some(({ field }) => field === 'metadata.uid');

const asConflict = ({ request, detail, causes }: ApiError): ApiError =>
  new ApiError({ request, status: 409, reason: 'Conflict', detail, causes });

const isConditional = (preconditions: Preconditions): boolean =>
  preconditions.uid !== undefined || preconditions.resourceVersion !== undefined;

/** The entries that have a value. */
function given<T extends object>(entries: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function withQuery(path: string, query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const text = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, String(value)]),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
}
