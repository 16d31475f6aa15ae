/**
 * A local copy of a collection that keeps only what a controller projects out of each object, with indexes.
 * Readers are told of changes in the order in which they happened; a change that the projection hides is none.
 */
import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, keyOfObject } from '../kube/resource.ts';

export interface Change<P> {
  readonly key: string;
  /** Missing when the object was not there before. */
  readonly before?: P;
  /** Missing when the object is gone. */
  readonly after?: P;
}

export type Listener<P> = (change: Change<P>) => void;

/** Groups entries by strings derived from them, so that they can be found without a walk over all. */
export type Indexes<P, I extends string> = Readonly<Record<I, (value: P) => readonly string[]>>;

interface Entry<P> {
  readonly uid: string;
  readonly version: string;
  readonly value: P;
}

/** Whether what a store holds may be believed to be all there is. */
export interface Coverage {
  /** The whole collection has been seen at least once. Until then, absence means nothing. */
  readonly synced: boolean;
  /** False while the server denies us the collection: then absence never means anything. */
  readonly available: boolean;
}

/** The read side of a store. */
export type View<P, I extends string = never> = Coverage &
  Pick<Store<KubeObject, P, I>, 'size' | 'get' | 'has' | 'keys' | 'values' | 'by' | 'keysBy' | 'subscribe'>;

export class Store<T extends KubeObject, P, I extends string = never> implements Coverage {
  readonly #project: (object: T) => P;
  readonly #coverage: Coverage;
  readonly #entries = new Map<string, Entry<P>>();
  readonly #indexes = new Map<string, Index<P>>();
  readonly #listeners = new Set<Listener<P>>();

  constructor(project: (object: T) => P, coverage: Coverage) {
    this.#project = project;
    this.#coverage = coverage;
  }

  /** Adds indexes to a store that is still empty. */
  index(indexes: Indexes<P, string>): void {
    for (const [name, terms] of Object.entries(indexes)) this.#indexes.set(name, new Index(terms));
  }

  get synced(): boolean {
    return this.#coverage.synced;
  }

  get available(): boolean {
    return this.#coverage.available;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): P | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  *values(): Generator<P> {
    for (const entry of this.#entries.values()) yield entry.value;
  }

  /** The entries that the index files under `term`, in no particular order. */
  by(index: I, term: string): readonly P[] {
    return this.keysBy(index, term).flatMap((key) => this.#entries.get(key)?.value ?? []);
  }

  keysBy(index: I, term: string): readonly string[] {
    return [...(this.#indexes.get(index)?.keys(term) ?? [])];
  }

  /** Calls back for every change from now on. Returns how to stop that. */
  subscribe(listener: Listener<P>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The version of an object as it is held here. */
  versionOf(key: string): string | undefined {
    return this.#entries.get(key)?.version;
  }

  put(object: T): void {
    const key = keyOfObject(object);
    const before = this.#entries.get(key);
    const value = this.#project(object);
    const uid = object.metadata.uid ?? '';
    const version = object.metadata.resourceVersion ?? '';
    const same = before?.uid === uid && isDeepStrictEqual(before.value, value);
    this.#entries.set(key, { uid, version, value: same ? before.value : value });
    if (!same) this.#changed({ key, ...(before && { before: before.value }), after: value });
  }

  remove(key: string): void {
    const before = this.#entries.get(key);
    if (!before) return;
    this.#entries.delete(key);
    this.#changed({ key, before: before.value });
  }

  #changed(change: Change<P>): void {
    for (const index of this.#indexes.values()) index.update(change);
    for (const listener of this.#listeners) listener(change);
  }
}

class Index<P> {
  readonly #terms: (value: P) => readonly string[];
  readonly #keys = new Map<string, Set<string>>();

  constructor(terms: (value: P) => readonly string[]) {
    this.#terms = terms;
  }

  keys(term: string): Iterable<string> {
    return this.#keys.get(term) ?? [];
  }

  update({ key, before, after }: Change<P>): void {
    if (before !== undefined) for (const term of this.#terms(before)) this.#drop(term, key);
    if (after !== undefined) for (const term of this.#terms(after)) this.#add(term, key);
  }

  #add(term: string, key: string): void {
    const keys = this.#keys.get(term);
    if (keys) keys.add(key);
    else this.#keys.set(term, new Set([key]));
  }

  #drop(term: string, key: string): void {
    const keys = this.#keys.get(term);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(term);
  }
}
