/** The objects of one resource: as they are now, and as they were at any revision that history still reaches. */
import type { ApiObject } from '../api-object.ts';
import { type Change, History } from './history.ts';
import { SortedKeys } from './sorted-keys.ts';

export type ChangeListener = (change: Change) => void;

export class Collection {
  readonly #objects = new Map<string, ApiObject>();
  readonly #keys = new SortedKeys();
  readonly #history: History;
  readonly #listeners = new Set<ChangeListener>();

  constructor(historyLength: number, revision: number) {
    this.#history = new History(historyLength, revision);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): ApiObject | undefined {
    return this.#objects.get(key);
  }

  /** Those whose key has the prefix, in the order of their keys. */
  *objects(prefix = '', from = ''): Generator<ApiObject> {
    for (const key of this.#keys.range(prefix, from)) {
      const object = this.#objects.get(key);
      if (object) yield object;
    }
  }

  /** The same as it was at a revision; nothing when history does not reach back so far. */
  objectsAt(revision: number, prefix = '', from = ''): Iterable<ApiObject> | undefined {
    const changes = this.#history.since(revision);
    if (!changes || changes.length === 0) return changes && this.objects(prefix, from);
    return this.#before(changes, prefix, from);
  }

  /** What happened after a revision; nothing when some of that is forgotten. */
  changesSince(revision: number): readonly Change[] | undefined {
    return this.#history.since(revision);
  }

  apply(change: Change): void {
    if (change.type === 'DELETED') {
      this.#objects.delete(change.key);
      this.#keys.remove(change.key);
    } else {
      if (change.type === 'ADDED') this.#keys.add(change.key);
      this.#objects.set(change.key, change.object);
    }
    this.#history.push(change);
  }

  /** What happened up to a revision. */
  forget(revision: number): void {
    this.#history.forget(revision);
  }

  /** Told of each change, after it. Gives back how to stop. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(change: Change): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  /** Takes the changes back, newest first, and puts what they changed in its old place. */
  *#before(changes: readonly Change[], prefix: string, from: string): Generator<ApiObject> {
    const past = new Map<string, ApiObject | undefined>();
    for (const { key, old } of changes.toReversed()) past.set(key, old);
    const changed = new SortedKeys();
    for (const [key, old] of past) if (old) changed.add(key);
    for (const key of inOrder(this.#keys.range(prefix, from), changed.range(prefix, from))) {
      const object = past.has(key) ? past.get(key) : this.#objects.get(key);
      if (object) yield object;
    }
  }
}

/** Two ordered sequences as one, without repetition. */
function* inOrder(one: Iterator<string>, other: Iterator<string>): Generator<string> {
  let left = one.next();
  let right = other.next();
  while (!left.done || !right.done) {
    const takesLeft = right.done || (!left.done && left.value <= right.value);
    const key: string = takesLeft ? left.value : right.value;
    if (!right.done && right.value === key) right = other.next();
    if (takesLeft) left = one.next();
    yield key;
  }
}
