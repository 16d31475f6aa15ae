/**
 * A local copy of a collection that keeps only what a controller projects out of each object, with indexes.
 * Readers are told of changes in the order in which they happened; a change that the projection hides is none, and an object that it
 * makes `undefined` of is not there.
 */
import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, keyOfObject, type ObjectMeta } from '../kube/resource.ts';

/** An object that was deleted and made anew unseen is one change, from the former to the latter. */
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

interface Entry<P> extends Identity {
  readonly value: P;
}

/** Whether what a store holds may be believed to be all there is. */
export interface Coverage {
  /** The whole collection has been seen at least once. Until then, absence means nothing. */
  readonly synced: boolean;
  /** False while the server denies us the collection: then absence never means anything. */
  readonly available: boolean;
  /**
   * For how long what is held may have been out of date, in milliseconds: since the server was last heard. A watch in good health is
   * heard about once a minute or more often. Without end until the whole collection has been seen.
   */
  readonly staleMs: number;
}

/** Which object it is, and in which version: what a write to it takes as its preconditions. */
export interface Identity {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The read side of a store. */
export type View<P, I extends string = never> = Coverage &
  Pick<
    Store<KubeObject, P, I>,
    'size' | 'get' | 'has' | 'identityOf' | 'keys' | 'values' | 'by' | 'keysBy' | 'subscribe'
  >;

export class Store<T extends KubeObject, P, I extends string = never> implements Coverage {
  readonly #project: (object: T) => P | undefined;
  readonly #coverage: Coverage;
  readonly #onListenerError: (error: unknown) => void;
  readonly #entries = new Map<string, Entry<P>>();
  readonly #indexes = new Map<string, Index<P>>();
  readonly #listeners = new Set<Listener<P>>();

  constructor(
    project: (object: T) => P | undefined,
    coverage: Coverage,
    onListenerError: (error: unknown) => void = reportError,
  ) {
    this.#project = project;
    this.#coverage = coverage;
    this.#onListenerError = onListenerError;
  }

  /** Adds indexes to a store that is still empty. */
  index(indexes: Indexes<P, string>): void {
    for (const [name, terms] of Object.entries(indexes)) {
      const known = this.#indexes.get(name) ?? new Index(terms);
      if (known.terms !== terms) throw new Error(`views with the same projection have two indexes named "${name}"`);
      this.#indexes.set(name, known);
    }
  }

  get synced(): boolean {
    return this.#coverage.synced;
  }

  get available(): boolean {
    return this.#coverage.available;
  }

  get staleMs(): number {
    return this.#coverage.staleMs;
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
    const entries = this.keysBy(index, term).map((key) => this.#entries.get(key));
    return entries.filter((entry) => entry !== undefined).map(({ value }) => value);
  }

  keysBy(index: I, term: string): readonly string[] {
    return [...(this.#indexes.get(index)?.keys(term) ?? [])];
  }

  /** Calls back for every change from now on. Returns how to stop that. */
  subscribe(listener: Listener<P>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Of the object as it was last seen here, also when that changed nothing that the projection shows. */
  identityOf(key: string): Identity | undefined {
    const entry = this.#entries.get(key);
    return entry && { uid: entry.uid, resourceVersion: entry.resourceVersion };
  }

  versionOf(key: string): string | undefined {
    return this.#entries.get(key)?.resourceVersion;
  }

  /** Throws when the projection or an index cannot read the object; then nothing has changed. */
  put(object: T): void {
    const key = keyOfObject(object);
    const value = this.#project(object);
    if (value === undefined) this.remove(key);
    else this.#hold(key, object.metadata, value);
  }

  remove(key: string): void {
    const before = this.#entries.get(key);
    if (before) this.#change({ key, before: before.value });
  }

  #hold(key: string, { uid = '', resourceVersion = '' }: ObjectMeta, value: P): void {
    const before = this.#entries.get(key);
    const same = before?.uid === uid && isDeepStrictEqual(before.value, value);
    const entry = { uid, resourceVersion, value: same ? before.value : value };
    if (same) this.#entries.set(key, entry);
    else this.#change({ key, ...(before && { before: before.value }), after: value }, entry);
  }

  #change(change: Change<P>, entry?: Entry<P>): void {
    const updates = [...this.#indexes.values()].map((index) => index.update(change));
    if (entry) this.#entries.set(change.key, entry);
    else this.#entries.delete(change.key);
    for (const update of updates) update();
    for (const listener of this.#listeners) this.#tell(listener, change);
  }

  /** One listener that fails neither keeps the others from hearing nor the next change from coming. */
  #tell(listener: Listener<P>, change: Change<P>): void {
    try {
      listener(change);
    } catch (error) {
      this.#onListenerError(error);
    }
  }
}

class Index<P> {
  readonly terms: (value: P) => readonly string[];
  /** One key stands by itself: most terms have no other, and a set of one is six times as large. */
  readonly #keys = new Map<string, string | Set<string>>();

  constructor(terms: (value: P) => readonly string[]) {
    this.terms = terms;
  }

  keys(term: string): Iterable<string> {
    const keys = this.#keys.get(term);
    if (keys === undefined) return [];
    return typeof keys === 'string' ? [keys] : keys;
  }

  /** Reads all that it has to read, which may throw, and returns how to carry the change out, which does not. */
  update({ key, before, after }: Change<P>): () => void {
    const old = before === undefined ? [] : [...this.terms(before)];
    const fresh = after === undefined ? [] : [...this.terms(after)];
    return () => {
      for (const term of old) this.#drop(term, key);
      for (const term of fresh) this.#add(term, key);
    };
  }

  #add(term: string, key: string): void {
    const keys = this.#keys.get(term);
    if (keys === undefined || keys === key) this.#keys.set(term, key);
    else if (typeof keys === 'string') this.#keys.set(term, new Set([keys, key]));
    else keys.add(key);
  }

  #drop(term: string, key: string): void {
    const keys = this.#keys.get(term);
    if (keys === key) this.#keys.delete(term);
    else if (typeof keys === 'object' && keys.delete(key) && keys.size === 0) this.#keys.delete(term);
  }
}

/** As a browser does with what nobody catches: it ends up where uncaught errors do. */
function reportError(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
