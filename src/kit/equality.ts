/** Whether two API objects say the same, however they say it: the question that a controller asks before it writes. */
import { Quantity } from './quantity.ts';

/** The way from the top of an object to a field: names of fields, and indexes into lists. */
export type Path = readonly (string | number)[];
export type PathTest = (path: Path) => boolean;

/** What the schema of an object would say about its fields. An object alone does not tell. */
export interface Semantics {
  /** Here are quantities: `1Gi` and `1024Mi` are the same. */
  readonly quantityAt?: PathTest;
  /** Here are lists whose order says nothing, such as finalizers, and to which others may add. */
  readonly unorderedAt?: PathTest;
  /** Here an empty object says something, such as `emptyDir: {}`, or a label selector that selects everything. */
  readonly presenceAt?: PathTest;
}

/** Tests for paths such as `spec.capacity.*`, in which `*` stands for any one name or index. */
export function at(...patterns: readonly string[]): PathTest {
  const split = patterns.map((pattern) => pattern.split('.'));
  return (path) =>
    split.some((names) => names.length === path.length && names.every((name, i) => covers(name, path[i])));
}

const covers = (name: string, step: string | number | undefined): boolean => name === '*' || name === String(step);

/** Absent, null, an empty list and an empty map (and a map of nothing but those) are all the same. Zero, false and the empty text are not. */
export function semanticallyEqual(a: unknown, b: unknown, semantics: Semantics = {}): boolean {
  return new Comparison(semantics, false).difference(a, b, []) === undefined;
}

/**
 * True when every field that we want is there already with the value that we want. What is empty in `want` is not
 * asked for. Lists must have the same length, unless they are without order, and each of their members what we want of it.
 */
export function isSubset(want: unknown, have: unknown, semantics: Semantics = {}): boolean {
  return new Comparison(semantics, true).difference(want, have, []) === undefined;
}

/** The first field that keeps `want` from being a subset of `have`, for messages. */
export function firstMissing(want: unknown, have: unknown, semantics: Semantics = {}): string | undefined {
  const path = new Comparison(semantics, true).difference(want, have, []);
  return path === undefined ? undefined : formatPath(path);
}

class Comparison {
  readonly #semantics: Semantics;
  /** Whether `have` may hold more than `want`. */
  readonly #mayHaveMore: boolean;

  constructor(semantics: Semantics, mayHaveMore: boolean) {
    this.#semantics = semantics;
    this.#mayHaveMore = mayHaveMore;
  }

  /** The path of the first difference. */
  difference(want: unknown, have: unknown, path: Path): Path | undefined {
    if (this.#saysNothing(want, path)) return this.#mayHaveMore || this.#saysNothing(have, path) ? undefined : path;
    if (this.#saysNothing(have, path)) return path;
    if (Array.isArray(want) && Array.isArray(have)) return this.#listDifference(want, have, path);
    if (isMap(want) && isMap(have)) return this.#mapDifference(want, have, path);
    return want === have || this.#isSameQuantity(want, have, path) ? undefined : path;
  }

  #saysNothing(value: unknown, path: Path): boolean {
    if (value === undefined || value === null) return true;
    if (Array.isArray(value)) return value.length === 0;
    if (!isMap(value) || this.#semantics.presenceAt?.(path)) return false;
    return Object.entries(value).every(([key, inner]) => this.#saysNothing(inner, [...path, key]));
  }

  #mapDifference(want: JsonMap, have: JsonMap, path: Path): Path | undefined {
    const keys = this.#mayHaveMore ? Object.keys(want) : new Set([...Object.keys(want), ...Object.keys(have)]);
    for (const key of keys) {
      const found = this.difference(own(want, key), own(have, key), [...path, key]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #listDifference(want: readonly unknown[], have: readonly unknown[], path: Path): Path | undefined {
    if (this.#semantics.unorderedAt?.(path)) return this.#unorderedDifference(want, have, path);
    if (want.length !== have.length) return path;
    for (const [index, member] of want.entries()) {
      const found = this.difference(member, have[index], [...path, index]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #unorderedDifference(want: readonly unknown[], have: readonly unknown[], path: Path): Path | undefined {
    const isIn = (member: unknown, others: readonly unknown[]) =>
      others.some((other) => this.difference(member, other, [...path, '*']) === undefined);
    const missing = want.findIndex((member) => !isIn(member, have));
    if (missing !== -1) return [...path, missing];
    const isExact = want.length === have.length && have.every((member) => isIn(member, want));
    return this.#mayHaveMore || isExact ? undefined : path;
  }

  #isSameQuantity(want: unknown, have: unknown, path: Path): boolean {
    if (!this.#semantics.quantityAt?.(path)) return false;
    const [a, b] = [readQuantity(want), readQuantity(have)];
    return a !== undefined && b !== undefined && a.equals(b);
  }
}

type JsonMap = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Labels may be called `constructor` or `__proto__`. */
const own = (map: JsonMap, key: string): unknown => (Object.hasOwn(map, key) ? map[key] : undefined);

/** A quantity may also be written as a plain number. What cannot be read is equal only to itself. */
function readQuantity(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  try {
    return Quantity.parse(String(value));
  } catch {
    return undefined;
  }
}

function formatPath(path: Path): string {
  const steps = path.map((step) =>
    typeof step === 'string' && /^\w+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
  );
  return steps.join('').replace(/^\./, '') || 'the whole object';
}
