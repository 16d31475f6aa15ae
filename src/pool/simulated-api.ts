/** For tests: as much of an API server as the operator of pools talks to, in memory: versions, generations, preconditions, patches, owners. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../kit/clock/clock.ts';
import { type KubeObject, keyOfObject, type ObjectMeta } from '../kit/kube/resource.ts';
import type { TransportRequest, TransportResponse } from '../kit/kube/transport.ts';

type Json = Readonly<Record<string, unknown>>;
type Stored = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Asked {
  readonly method: TransportRequest['method'];
  readonly collection: string;
  readonly key: string | undefined;
  readonly namespace: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly type: string;
  readonly body: unknown;
}

export interface ApiChange {
  readonly collection: string;
  readonly key: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

export class SimulatedApi {
  readonly #clock: Clock;
  readonly #collections = new Map<string, Map<string, Stored>>();
  readonly #listeners = new Set<(change: ApiChange) => void>();
  #version = 100;
  #uids = 0;
  /** Collections in which nothing can be made, and why. */
  refusals: ReadonlyMap<string, string> = new Map();
  /** The reasons of the Events that were told, oldest first. */
  readonly events: string[] = [];
  /** Writes that have changed nothing, as `PATCH pvpools/default/data`. */
  readonly forNothing: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  onChange(listener: (change: ApiChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  all<T extends KubeObject = Stored>(collection: string): readonly T[] {
    return [...this.#of(collection).values()] as unknown as T[];
  }

  get<T extends KubeObject = Stored>(collection: string, key: string): T | undefined {
    return this.#of(collection).get(key) as T | undefined;
  }

  /** As somebody does it who may do everything, status included. A change of the spec is a new generation. */
  put(collection: string, object: KubeObject): KubeObject {
    const key = keyOfObject(object);
    const before = this.#of(collection).get(key);
    const generation = before ? (before.metadata.generation ?? 1) + (isSameSpec(before, object) ? 0 : 1) : 1;
    const metadata: ObjectMeta = {
      creationTimestamp: this.#now(),
      ...object.metadata,
      uid: before?.metadata.uid ?? `uid-${++this.#uids}`,
      generation,
      resourceVersion: `${++this.#version}`,
    };
    const after = JSON.parse(JSON.stringify({ ...object, metadata })) as Stored;
    this.#of(collection).set(key, after);
    this.#tell({ collection, key, before, after });
    return after;
  }

  change<T extends KubeObject>(collection: string, key: string, change: (object: T) => T): void {
    const object = this.get<T>(collection, key);
    if (!object) throw new Error(`there is no ${collection}/${key}`);
    this.put(collection, change(object));
  }

  remove(collection: string, key: string): void {
    const before = this.#of(collection).get(key);
    if (!before) return;
    this.#of(collection).delete(key);
    this.#tell({ collection, key, before, after: undefined });
  }

  answer(request: Pick<TransportRequest, 'method' | 'path' | 'body' | 'headers'>): TransportResponse {
    const { status, body } = this.#carryOut(asked(request));
    const text = JSON.stringify(body);
    const bytes = (async function* () {
      yield Buffer.from(text);
    })();
    return { status, header: () => undefined, body: bytes, text: async () => text };
  }

  #carryOut(it: Asked): Answer {
    if (it.collection === 'events' && it.method !== 'GET') return this.#event(it);
    if (it.method === 'POST') return this.#create(it);
    if (it.key === undefined) return this.#list(it);
    const object = this.#of(it.collection).get(it.key);
    if (!object) return refusal(404, 'NotFound');
    if (it.method === 'GET') return { status: 200, body: object };
    if (it.method === 'DELETE') return this.#delete(it, object);
    return this.#change(it, object);
  }

  #event({ method, body }: Asked): Answer {
    if (method === 'POST') this.events.push((body as { reason: string }).reason);
    return { status: 201, body };
  }

  #list({ collection, namespace, query }: Asked): Answer {
    const [label = '', value] = (query.get('labelSelector') ?? '').split('=');
    const items = this.all(collection).filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        (label === '' || metadata.labels?.[label] === value),
    );
    return { status: 200, body: { metadata: { resourceVersion: `${this.#version}` }, items } };
  }

  #create({ collection, body, query }: Asked): Answer {
    const object = body as KubeObject;
    const denied = this.refusals.get(collection);
    if (denied !== undefined) return refusal(403, 'Forbidden', denied);
    if (this.#of(collection).has(keyOfObject(object))) return refusal(409, 'AlreadyExists');
    if (query.has('dryRun')) return { status: 201, body: object };
    return { status: 201, body: this.put(collection, object) };
  }

  #delete({ collection, key = '', body }: Asked, object: KubeObject): Answer {
    const { uid } = (body as { preconditions?: { uid?: string } }).preconditions ?? {};
    if (uid !== undefined && uid !== object.metadata.uid) return refusal(409, 'Conflict');
    this.remove(collection, key);
    return { status: 200, body: object };
  }

  #change(it: Asked, object: Stored): Answer {
    const wanted = changed(it, object);
    if (wanted === undefined) return refusal(422, 'Invalid');
    const { uid, resourceVersion } = wanted.metadata;
    if (uid !== undefined && uid !== object.metadata.uid) return refusal(409, 'Conflict');
    if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
      return refusal(409, 'Conflict');
    const result: Stored =
      it.subresource === 'status'
        ? { ...object, status: wanted.status }
        : { ...wanted, ...('status' in object && { status: object.status }) };
    if (it.query.has('dryRun')) return { status: 200, body: result };
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(result)), object)) {
      this.forNothing.push(`${it.method} ${it.collection}/${it.key}`);
      return { status: 200, body: object };
    }
    return { status: 200, body: this.put(it.collection, result) };
  }

  #tell(change: ApiChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #of(collection: string): Map<string, Stored> {
    const known = this.#collections.get(collection) ?? new Map<string, Stored>();
    this.#collections.set(collection, known);
    return known;
  }

  #now(): string {
    return this.#clock
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }
}

const isSameSpec = (one: Stored, other: Stored): boolean =>
  isDeepStrictEqual(one.spec, JSON.parse(JSON.stringify(other.spec ?? null)) ?? undefined);

function asked({ method, path, body, headers }: Pick<TransportRequest, 'method' | 'path' | 'body' | 'headers'>): Asked {
  const { pathname, searchParams: query } = new URL(path, 'http://server');
  const parts =
    /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/([^/]+)\/(?=[^/]))?([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?/.exec(
      pathname,
    );
  const [, namespace, collection = '', name, subresource] = parts ?? [];
  const key = name === undefined ? undefined : namespace === undefined ? name : `${namespace}/${name}`;
  const type = Object.entries(headers).find(([header]) => header.toLowerCase() === 'content-type')?.[1] ?? '';
  return { method, collection, key, namespace, subresource, query, type, body: JSON.parse(body ?? '{}') };
}

/** Nothing when a test in a JSON patch fails. */
function changed({ method, type, body }: Asked, object: Stored): Stored | undefined {
  if (method === 'PUT') return body as Stored;
  if (type.includes('json-patch')) return jsonPatched(object, body as readonly PatchStep[]);
  return merged(object, body) as Stored;
}

interface PatchStep {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function jsonPatched(object: Stored, steps: readonly PatchStep[]): Stored | undefined {
  const copy = structuredClone(object) as unknown as Record<string, unknown>;
  for (const { op, path, value } of steps) {
    const names = path.slice(1).split('/');
    const last = names.pop() ?? '';
    let holder = copy;
    for (const name of names) holder = holder[name] as Record<string, unknown>;
    if (op === 'test' && !isDeepStrictEqual(holder[last], value)) return undefined;
    if (op !== 'test') holder[last] = value;
  }
  return copy as unknown as Stored;
}

const refusal = (code: number, reason: string, message = 'as a server would'): Answer => ({
  status: code,
  body: { kind: 'Status', code, reason, message },
});

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
