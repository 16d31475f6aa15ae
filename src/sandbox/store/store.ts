/**
 * What a cluster knows: objects by resource and key, under one revision that counts every write. Everybody is told of a write
 * after it, and of all writes in the same order, also of those that somebody makes who is being told of one.
 */
import type { ApiObject } from '../api-object.ts';
import { Collection } from './collection.ts';
import type { Change } from './history.ts';

export interface StoreOptions {
  /** How many changes of each resource are remembered. */
  readonly historyLength?: number;
}

const HISTORY_LENGTH = 5_000;

export class Store {
  readonly #historyLength: number;
  readonly #collections = new Map<string, Collection>();
  readonly #untold: { readonly collection: Collection; readonly change: Change }[] = [];
  #telling = false;
  #revision = 1;
  /** What happened before is known of no collection. */
  #compacted = 0;

  constructor({ historyLength = HISTORY_LENGTH }: StoreOptions = {}) {
    this.#historyLength = historyLength;
  }

  /** Of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  /** Of one resource, such as `pods` or `leases.coordination.k8s.io`. */
  collection(name: string): Collection {
    const known = this.#collections.get(name);
    if (known) return known;
    const made = new Collection(this.#historyLength, this.#compacted);
    this.#collections.set(name, made);
    return made;
  }

  /** The version that the next write will have. */
  get next(): string {
    return `${this.#revision + 1}`;
  }

  /** Gives back what was stored: the same with its new version. */
  put(collection: Collection, key: string, object: ApiObject): ApiObject {
    const old = collection.get(key);
    return this.#commit(collection, { type: old ? 'MODIFIED' : 'ADDED', key, object, ...(old && { old }) });
  }

  remove(collection: Collection, key: string): ApiObject | undefined {
    const old = collection.get(key);
    return old && this.#commit(collection, { type: 'DELETED', key, object: old, old });
  }

  /** Forgets the past up to a revision, so that who wants to go on from before has to begin anew. */
  compact(revision = this.#revision): void {
    this.#compacted = Math.max(this.#compacted, revision);
    for (const collection of this.#collections.values()) collection.forget(this.#compacted);
  }

  #commit(collection: Collection, happened: Omit<Change, 'revision'>): ApiObject {
    const revision = ++this.#revision;
    const metadata = { ...happened.object.metadata, resourceVersion: `${revision}` };
    const change = { ...happened, revision, object: { ...happened.object, metadata } };
    collection.apply(change);
    this.#untold.push({ collection, change });
    if (!this.#telling) this.#tell();
    return change.object;
  }

  #tell(): void {
    this.#telling = true;
    try {
      for (let next = this.#untold.shift(); next; next = this.#untold.shift()) next.collection.tell(next.change);
    } finally {
      this.#telling = false;
    }
  }
}
