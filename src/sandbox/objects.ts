/** `Objects`, carried out by the server, as its own user. */
import { type KubeObject, keyOfObject, type Resource, refOf } from '../kit/kube/resource.ts';

import { isList, isMap, type Json, type JsonMap } from './json.ts';
import { type Kind, seen } from './kinds/kind.ts';
import type { Registry } from './kinds/registry.ts';
import { typed } from './server/request-body.ts';
import { ADMIN, type Target, type WriteRequest } from './server/target.ts';
import type { Writes } from './server/writes.ts';
import type { Collection } from './store/collection.ts';
import type { ObjectChange, Objects, RemoveOptions } from './store/objects.ts';
import type { Store } from './store/store.ts';

export class ServerObjects implements Objects {
  readonly #writes: Writes;
  readonly #registry: Registry;
  readonly #store: Store;
  readonly #request: WriteRequest;

  constructor(writes: Writes, registry: Registry, store: Store, fieldManager: string) {
    this.#request = { user: ADMIN, fieldManager };
    this.#writes = writes;
    this.#registry = registry;
    this.#store = store;
  }

  get<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined {
    const kind = this.#registry.get(resource);
    const found = this.#collection(kind).get(key);
    return as<T | undefined>(found && seen(kind, found));
  }

  list<T extends KubeObject>(resource: Resource<T>): readonly T[] {
    const kind = this.#registry.get(resource);
    return as<readonly T[]>([...this.#collection(kind).objects()].map((object) => seen(kind, object)));
  }

  create<T extends KubeObject>(resource: Resource<T>, object: T): T {
    const target = this.#target(resource, keyOfObject(object));
    return as<T>(this.#writes.create(target, typed(said(object), target.kind), this.#request));
  }

  update<T extends KubeObject>(resource: Resource<T>, object: T, subresource?: string): T {
    const target = { ...this.#target(resource, keyOfObject(object)), ...(subresource && { subresource }) };
    return as<T>(this.#writes.update(target, () => typed(said(object), target.kind), this.#request).object);
  }

  remove(resource: Resource, key: string, options: RemoveOptions = {}): void {
    this.#writes.delete(this.#target(resource, key), { ...this.#request, ...options });
  }

  onChange<T extends KubeObject>(resource: Resource<T>, listener: (change: ObjectChange<T>) => void): () => void {
    const kind = this.#registry.get(resource);
    return this.#collection(kind).onChange(({ type, key, object, old }) => {
      const change = { type, key, object: seen(kind, object), ...(old && { old: seen(kind, old) }) };
      listener(as<ObjectChange<T>>(change));
    });
  }

  #target(resource: Resource, key: string): Target {
    return { kind: this.#registry.get(resource), ...refOf(key) };
  }

  #collection({ stored }: Kind): Collection {
    return this.#store.collection(stored.name);
  }
}

/** Who names a resource knows the type of its objects. */
const as = <T>(value: unknown): T => value as T;

/** Code may say `undefined` for what it leaves out; JSON has no such thing. */
const said = (object: KubeObject): JsonMap => withoutUndefined(object as unknown as Json) as JsonMap;

/** The same one where nothing is left out, as in what comes from the store. */
function withoutUndefined(value: Json): Json {
  if (isList(value)) {
    const given = value.map(withoutUndefined);
    return given.every((each, index) => each === value[index]) ? value : given;
  }
  return isMap(value) ? mapWithoutUndefined(value) : value;
}

function mapWithoutUndefined(value: JsonMap): JsonMap {
  let isSame = true;
  const given: Record<string, Json> = {};
  for (const field in value) {
    const inside = value[field];
    if (inside !== undefined) given[field] = withoutUndefined(inside);
    isSame &&= inside === given[field] && inside !== undefined;
  }
  return isSame ? value : given;
}
