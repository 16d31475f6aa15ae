/** A map by name that tells whenever something in it is another than before, or gone. */
import { isDeepStrictEqual } from 'node:util';

export class ObservedMap<V> {
  readonly #values = new Map<string, V>();
  readonly #listeners = new Set<() => void>();

  /** To set what is there already tells nobody: what is looked at again and again is seldom news. */
  set(name: string, value: V): void {
    const isNews = !isDeepStrictEqual(this.#values.get(name), value);
    this.#values.set(name, value);
    if (isNews) this.#tell();
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
