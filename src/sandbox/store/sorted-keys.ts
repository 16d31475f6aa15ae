/** Keys in the order in which lists show them: that of their bytes, as in etcd. */

export class SortedKeys {
  readonly #keys: string[] = [];

  get length(): number {
    return this.#keys.length;
  }

  add(key: string): void {
    const index = this.#firstFrom(key);
    if (index === this.#keys.length) this.#keys.push(key);
    else if (this.#keys[index] !== key) this.#keys.splice(index, 0, key);
  }

  remove(key: string): void {
    const index = this.#firstFrom(key);
    if (this.#keys[index] === key) this.#keys.splice(index, 1);
  }

  /** Those with a prefix, from the first that is not less than `from`. */
  *range(prefix: string, from = ''): Generator<string> {
    for (let index = this.#firstFrom(from > prefix ? from : prefix); index < this.#keys.length; index++) {
      const key = this.#keys[index] ?? '';
      if (!key.startsWith(prefix)) return;
      yield key;
    }
  }

  #firstFrom(key: string): number {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) return this.#keys.length;
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
