/** Small values of which thousands are equal, such as labels, held once. What is shared must not be changed. */

/** More different ones than this are not worth sharing: then it starts anew. */
const MOST_VALUES = 4096;

export class SharedValues {
  readonly #values = new Map<string, unknown>();

  /** The value, or one that was given before and is equal to it as JSON. */
  share<T>(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#values.get(text);
    if (known !== undefined) return known as T;
    if (this.#values.size >= MOST_VALUES) this.#values.clear();
    this.#values.set(text, value);
    return value;
  }
}
