/** A map that never grows past its capacity: what was used longest ago makes room. */

export class BoundedMap<K, V> {
  readonly #capacity: number;
  readonly #onEvicted: (value: V, key: K) => void;
  /** In the order of their last use. */
  readonly #entries = new Map<K, V>();

  constructor(capacity: number, onEvicted: (value: V, key: K) => void = () => {}) {
    if (!(capacity >= 1)) throw new RangeError(`a bounded map holds one entry at least, not ${capacity}`);
    this.#capacity = capacity;
    this.#onEvicted = onEvicted;
  }

  /** A look is a use. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#touch(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#touch(key, value);
    if (this.#entries.size > this.#capacity) this.#evictOldest();
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  values(): Iterable<V> {
    return this.#entries.values();
  }

  #touch(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }

  #evictOldest(): void {
    for (const [key, value] of this.#entries) {
      this.#entries.delete(key);
      this.#onEvicted(value, key);
      return;
    }
  }
}
