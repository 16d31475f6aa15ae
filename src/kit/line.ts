/** A line that is served in order and that anybody may leave, each in constant time however long it is. */
export class Line<K, V> {
  readonly #entries = new Map<K, V>();
  /** Stands at the head. Looking for the head anew each time would walk over all that has left before. */
  #head = this.#entries.entries();

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  /** To the end of the line, unless it is there already. */
  join(key: K, value: V): void {
    if (!this.#entries.has(key)) this.#entries.set(key, value);
  }

  leave(key: K): void {
    this.#entries.delete(key);
  }

  /** Takes out whoever has waited longest. */
  next(): readonly [K, V] | undefined {
    let head = this.#head.next();
    if (head.done) {
      this.#head = this.#entries.entries();
      head = this.#head.next();
    }
    if (head.done) return undefined;
    this.#entries.delete(head.value[0]);
    return head.value;
  }

  clear(): void {
    this.#entries.clear();
  }
}
