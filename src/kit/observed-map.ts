/** A map by name that tells whenever something in it was set or deleted. */
export class ObservedMap<V> {
  readonly #values = new Map<string, V>();
  readonly #listeners = new Set<() => void>();

  set(name: string, value: V): void {
    this.#values.set(name, value);
    this.#tell();
  }

  get(name: string): V | undefined {
    return this.#values.get(name);
  }

  delete(name: string): void {
    if (this.#values.delete(name)) this.#tell();
  }

  values(): readonly V[] {
    return [...this.#values.values()];
  }

  /** Gives back how to end that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
