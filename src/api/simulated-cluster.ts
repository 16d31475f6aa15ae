/**
 * For tests: the part of a cluster that the agent of a node has to do with, in memory. An API server with versions, preconditions,
 * finalizers and pages; and the binder, which is the test.
 */
import type { Clock } from '../kit/clock/clock.ts';
import type { SimulatedHost } from '../kit/host/simulated/host.ts';
import { labelsManagedBy } from '../kit/kube/managed-fields.ts';
import { type KubeObject, keyOfObject, type ObjectMeta } from '../kit/kube/resource.ts';
import type { Transport, TransportRequest, TransportResponse } from '../kit/kube/transport.ts';
import type { PersistentVolume } from './persistent-volumes.ts';

/** What is asked of the server: a method, a collection, and mostly one object of it, by its name or `namespace/name`. */
interface Asked {
  readonly method: TransportRequest['method'];
  readonly collection: string;
  readonly key: string | undefined;
  readonly query: URLSearchParams;
  readonly body: Body;
}

interface Body {
  readonly metadata?: ObjectMeta;
  readonly preconditions?: Preconditions;
}

interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

export const VOLUMES = 'persistentvolumes';
export const CLAIMS = 'persistentvolumeclaims';
const PROTECTION = 'kubernetes.io/pv-protection';
const PROTECTIONS: Readonly<Record<string, string>> = {
  [VOLUMES]: PROTECTION,
  [CLAIMS]: 'kubernetes.io/pvc-protection',
};
/** The server gives fewer than it is asked for, so that there are pages. */
const MOST_ON_A_PAGE = 2;

export class SimulatedCluster {
  /** Before each is carried out, so that what was there can still be seen. */
  onCreate: (volume: PersistentVolume) => void = () => {};
  onDelete: (volume: PersistentVolume) => void = () => {};
  readonly #listeners = new Set<() => void>();
  readonly #clock: Clock;
  readonly #collections = new Map<string, Map<string, KubeObject>>();
  #version = 100;
  #uids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** After each change, as a watch does. Gives back how to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `persistentvolumes`, `nodes`, `configmaps`, `namespaces`, … */
  all(collection: string): readonly KubeObject[] {
    return [...this.#of(collection).values()];
  }

  get volumes(): readonly PersistentVolume[] {
    return this.all(VOLUMES);
  }

  volume(name: string): PersistentVolume | undefined {
    return this.#of(VOLUMES).get(name);
  }

  /** As somebody does it who may do everything, status included. */
  put(collection: string, object: KubeObject): KubeObject {
    const key = keyOfObject(object);
    const known = this.#of(collection).get(key);
    const metadata = {
      uid: known?.metadata.uid ?? this.#uid(),
      creationTimestamp: this.#now(),
      ...object.metadata,
      resourceVersion: `${++this.#version}`,
    };
    const stored = { ...object, metadata };
    this.#of(collection).set(key, stored);
    this.#tell();
    return stored;
  }

  change(name: string, change: (volume: PersistentVolume) => PersistentVolume): void {
    const volume = this.volume(name);
    if (!volume) throw new Error(`there is no volume ${name}`);
    this.put(VOLUMES, change(volume));
  }

  /** The volume controller's look at what is new. */
  settle(): void {
    for (const volume of this.volumes)
      if (!volume.status?.phase && volume.metadata.name)
        this.change(volume.metadata.name, (one) => ({ ...one, status: { phase: 'Available' } }));
  }

  /** Gives back whether it could: what is being deleted is never bound. */
  bind(name: string, claim: string): boolean {
    const volume = this.volume(name);
    if (!volume || volume.metadata.deletionTimestamp || volume.status?.phase !== 'Available') return false;
    const claimRef = { namespace: 'default', name: claim, uid: `uid-of-${claim}` };
    this.change(name, ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, claimRef }, status: { phase: 'Bound' } }));
    return true;
  }

  /** What was deleted while somebody had it goes on being deleted. */
  release(name: string): void {
    this.change(name, (volume) => ({ ...volume, status: { phase: 'Released' } }));
    if (this.volume(name)?.metadata.deletionTimestamp) this.remove(name);
  }

  /** A person takes the claim off a volume, which makes it available again, with all that is on it. */
  unbind(name: string): void {
    this.change(name, ({ spec: { claimRef: _, ...spec } = {}, ...rest }) => ({
      ...rest,
      spec,
      status: { phase: 'Available' },
    }));
  }

  /** With force, whatever holds it. */
  vanish(name: string): void {
    this.#of(VOLUMES).delete(name);
    this.#tell();
  }

  /** Gives back how to go back to the state of now. A restored server counts on from there. */
  backup(): () => void {
    const volumes = new Map(this.#of(VOLUMES));
    const version = this.#version;
    return () => {
      this.#collections.set(VOLUMES, new Map(volumes));
      this.#version = version;
    };
  }

  /** Carries it out. */
  answer(request: Pick<TransportRequest, 'method' | 'path' | 'body'>): TransportResponse {
    const { status, body } = this.#carryOut(asked(request));
    const text = JSON.stringify(body);
    const bytes = (async function* () {
      yield Buffer.from(text);
    })();
    return { status, header: () => undefined, body: bytes, text: async () => text };
  }

  #carryOut(it: Asked): Answer {
    switch (it.method) {
      case 'GET':
        return it.key === undefined ? this.#list(it) : this.#get(it);
      case 'POST':
        return this.#create(it);
      case 'PATCH':
        return this.#patch(it);
      case 'DELETE':
        return this.#delete(it);
      case 'PUT':
        return refusal(405, 'MethodNotAllowed');
    }
  }

  #list({ collection, query }: Asked): Answer {
    const [label = '', value] = (query.get('labelSelector') ?? '').split('=');
    const names = [...this.#of(collection)]
      .filter(([, { metadata }]) => label === '' || isSelected(metadata.labels?.[label], value))
      .map(([name]) => name)
      .sort();
    const from = query.get('continue') ?? '';
    const rest = names.filter((name) => name > from);
    const page = rest.slice(0, Math.min(Number(query.get('limit') ?? rest.length), MOST_ON_A_PAGE));
    const next = page.length < rest.length ? { continue: page.at(-1) } : {};
    const items = page.map((name) => this.#of(collection).get(name));
    return { status: 200, body: { metadata: { resourceVersion: `${this.#version}`, ...next }, items } };
  }

  #get({ collection, key = '' }: Asked): Answer {
    const object = this.#of(collection).get(key);
    return object ? { status: 200, body: object } : refusal(404, 'NotFound');
  }

  #create({ collection, body, query }: Asked): Answer {
    const sent = body.metadata ?? {};
    if (this.#of(collection).has(keyOfObject({ metadata: sent }))) return refusal(409, 'AlreadyExists');
    const { [collection]: protection = [] } = PROTECTIONS;
    const metadata = {
      ...sent,
      ...managed({}, sent, query.get('fieldManager')),
      creationTimestamp: this.#now(),
      finalizers: [...new Set([...(sent.finalizers ?? []), protection].flat())],
    };
    this.onCreate({ ...body, metadata });
    return { status: 201, body: this.put(collection, { ...body, metadata }) };
  }

  #patch({ collection, key = '', body, query }: Asked): Answer {
    const object = this.#of(collection).get(key);
    if (!object) return refusal(404, 'NotFound');
    const { uid, resourceVersion, ...metadata } = body.metadata ?? {};
    if (!isStill(object, { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }))
      return refusal(409, 'Conflict');
    const merged = merge(object, { ...body, metadata }) as KubeObject;
    if (object.metadata.deletionTimestamp && isAnyNew(merged, object)) return refusal(422, 'Invalid');
    const isSame = JSON.stringify(merged) === JSON.stringify(object);
    const accounts = managed(object.metadata, metadata, query.get('fieldManager'));
    const stored = isSame ? object : this.put(collection, { ...merged, metadata: { ...merged.metadata, ...accounts } });
    this.#removeIfFree(collection, stored);
    return { status: 200, body: stored };
  }

  #delete({ collection, key = '', body }: Asked): Answer {
    const object = this.#of(collection).get(key);
    if (!object) return refusal(404, 'NotFound');
    if (!isStill(object, body.preconditions ?? {})) return refusal(409, 'Conflict');
    this.onDelete(object);
    return { status: 200, body: this.remove(key, collection) ?? object };
  }

  /** As `kubectl delete` does it. Whoever protects volumes and claims lets one go at once that nobody has. */
  remove(key: string, collection = VOLUMES): KubeObject | undefined {
    const object: PersistentVolume | undefined = this.#of(collection).get(key);
    if (!object) return undefined;
    const { finalizers = [], deletionTimestamp = this.#now() } = object.metadata;
    const isInUse = collection === VOLUMES && object.status?.phase === 'Bound';
    const left = isInUse ? finalizers : finalizers.filter((one) => one !== PROTECTIONS[collection]);
    const metadata = { ...object.metadata, deletionTimestamp, finalizers: left };
    const stored = this.put(collection, { ...object, metadata });
    this.#removeIfFree(collection, stored);
    return stored;
  }

  #removeIfFree(collection: string, object: KubeObject): void {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (!deletionTimestamp || finalizers.length > 0) return;
    this.#of(collection).delete(keyOfObject(object));
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #of(collection: string): Map<string, KubeObject> {
    const known = this.#collections.get(collection) ?? new Map<string, KubeObject>();
    this.#collections.set(collection, known);
    return known;
  }

  #uid(): string {
    return `uid-${++this.#uids}`;
  }

  /** To the second, as the server counts. */
  #now(): string {
    return this.#clock
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }
}

function asked({ method, path, body }: Pick<TransportRequest, 'method' | 'path' | 'body'>): Asked {
  const { pathname, searchParams } = new URL(path, 'http://server');
  const parts = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/([^/]+)\/(?=[^/]))?([^/]+)(?:\/([^/]+))?/.exec(pathname);
  const [, namespace, collection = '', name] = parts ?? [];
  const key = namespace === undefined || name === undefined ? name : `${namespace}/${name}`;
  return { method, collection, key, query: searchParams, body: JSON.parse(body ?? '{}') };
}

/** A call of the API is an operation of the process like any other: it can fail, be lost, and be where the process is killed. */
export const transportOf = ({ process }: SimulatedHost, cluster: SimulatedCluster): Transport => ({
  async request(request) {
    request.signal.throwIfAborted();
    const { method, path } = request;
    const operation = { verb: 'exec', target: 'api', changes: method !== 'GET', argv: [method, path] } as const;
    return unlessAborted(
      process.perform(operation, () => cluster.answer(request)),
      request.signal,
    );
  },
  async close() {},
});

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: abortion, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, abortion]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const refusal = (code: number, reason: string): Answer => ({
  status: code,
  body: { kind: 'Status', code, reason, message: 'as a server would' },
});

/** The server's account of who wrote which labels, as far as writers say who they are. */
function managed(before: ObjectMeta, written: ObjectMeta, manager: string | null): Pick<ObjectMeta, 'managedFields'> {
  if (manager === null) return {};
  const { managedFields = [] } = before;
  const keys = new Map([...labelsManagedBy(before, manager)].map((key) => [`f:${key}`, {}]));
  for (const [key, value] of Object.entries(written.labels ?? {}))
    if (value === null) keys.delete(`f:${key}`);
    else keys.set(`f:${key}`, {});
  const mine = { manager, fieldsV1: { 'f:metadata': { 'f:labels': Object.fromEntries(keys) } } };
  return { managedFields: [...managedFields.filter((entry) => entry.manager !== manager), mine] };
}

const isStill = ({ metadata }: KubeObject, { uid, resourceVersion }: Preconditions): boolean =>
  (uid === undefined || uid === metadata.uid) &&
  (resourceVersion === undefined || resourceVersion === metadata.resourceVersion);

/** What is being deleted gets no new finalizer. */
const isAnyNew = (after: KubeObject, before: KubeObject): boolean =>
  (after.metadata.finalizers ?? []).some((one) => !before.metadata.finalizers?.includes(one));

/** RFC 7396. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without a value, by its presence. */
const isSelected = (label: string | undefined, value: string | undefined): boolean =>
  value === undefined ? label !== undefined : label === value;
