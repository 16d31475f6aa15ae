/** The names that an expression may use while it is evaluated. */
import type { CelValue } from './values.ts';

export type Code = (scope: Scope) => CelValue;

export class Scope {
  readonly #values: ReadonlyMap<string, CelValue>;
  readonly #outer: Scope | undefined;

  constructor(values: Iterable<readonly [string, CelValue]>, outer?: Scope) {
    this.#values = new Map(values);
    this.#outer = outer;
  }

  get(name: string): CelValue | undefined {
    const value = this.#values.get(name);
    return value === undefined ? this.#outer?.get(name) : value;
  }
}
