/** A set of fields of an object, as a tree. It is never changed once it is made. */
import type { JsonMap } from '../json.ts';
import { isMap, type Json } from '../json.ts';
import { compareElements, type PathElement } from './path-element.ts';

export type FieldSet = ReadonlyMap<PathElement, FieldNode>;

export interface FieldNode {
  /** Whether the field itself is in the set, and not only something inside of it. */
  readonly owned: boolean;
  readonly inner: FieldSet;
}

export type FieldPath = readonly PathElement[];

export const NO_FIELDS: FieldSet = new Map();

/** A set that is being made. */
export class FieldSetBuilder {
  readonly #root = new Map<PathElement, Growing>();

  add(path: FieldPath): void {
    let nodes = this.#root;
    let last: Growing | undefined;
    for (const element of path) {
      last = nodes.get(element) ?? { owned: false, inner: new Map() };
      nodes.set(element, last);
      nodes = last.inner;
    }
    if (last) last.owned = true;
  }

  get set(): FieldSet {
    return this.#root;
  }
}

interface Growing {
  owned: boolean;
  readonly inner: Map<PathElement, Growing>;
}

export const isEmptySet = (set: FieldSet): boolean => set.size === 0;

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  const result = new Map(a);
  for (const [element, node] of b) {
    const other = a.get(element);
    result.set(element, other ? { owned: other.owned || node.owned, inner: union(other.inner, node.inner) } : node);
  }
  return result;
}

export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [element, node] of a) {
    const other = b.get(element);
    if (!other || other.owned !== node.owned || !isSameSet(node.inner, other.inner)) return false;
  }
  return true;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return NO_FIELDS;
  return select(a, (element, node) => {
    const other = b.get(element);
    return other && { owned: node.owned && other.owned, inner: intersection(node.inner, other.inner) };
  });
}

/** What is in `a` and not itself in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (b.size === 0) return a;
  return select(a, (element, node) => {
    const other = b.get(element);
    return other ? { owned: node.owned && !other.owned, inner: difference(node.inner, other.inner) } : node;
  });
}

/** What is in `a` and neither in `b` nor inside of something that is. */
export function outside(a: FieldSet, b: FieldSet): FieldSet {
  if (b.size === 0) return a;
  return select(a, (element, node) => {
    const other = b.get(element);
    if (!other) return node;
    return other.owned ? undefined : { owned: node.owned, inner: outside(node.inner, other.inner) };
  });
}

function select(set: FieldSet, choose: (element: PathElement, node: FieldNode) => FieldNode | undefined): FieldSet {
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of set) {
    const chosen = choose(element, node);
    if (chosen && (chosen.owned || chosen.inner.size > 0)) result.set(element, chosen);
  }
  return result;
}

export const setOf = (...paths: readonly FieldPath[]): FieldSet => {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.add(path);
  return builder.set;
};

export function has(set: FieldSet, path: FieldPath): boolean {
  const [first, ...rest] = path;
  const node = first === undefined ? undefined : set.get(first);
  if (node === undefined) return false;
  return rest.length === 0 ? node.owned : has(node.inner, rest);
}

/** All paths, in the server's order: at each level first the fields themselves, then what is inside of them. */
export function pathsOf(set: FieldSet, prefix: FieldPath = []): readonly FieldPath[] {
  const sorted = inOrder(set);
  const here = sorted.filter(([, { owned }]) => owned).map(([element]) => [...prefix, element]);
  return [...here, ...sorted.flatMap(([element, { inner }]) => pathsOf(inner, [...prefix, element]))];
}

const inOrder = (set: FieldSet): readonly (readonly [PathElement, FieldNode])[] =>
  [...set].sort(([a], [b]) => compareElements(a, b));

/** Most writes change no owners: a set and its form are made of each other once. */
const forms = new WeakMap<FieldSet, JsonMap>();
const sets = new WeakMap<JsonMap, FieldSet>();

/** The form that managedFields have: `{"f:data": {".": {}, "f:x": {}}}`. */
export function toFieldsV1(set: FieldSet): JsonMap {
  const known = forms.get(set);
  if (known) return known;
  const form = formOf(set);
  forms.set(set, form);
  sets.set(form, set);
  return form;
}

function formOf(set: FieldSet): JsonMap {
  return Object.fromEntries(
    inOrder(set).map(([element, { owned, inner }]) => {
      const itself = owned && inner.size > 0 ? { '.': {} } : {};
      return [element, { ...itself, ...formOf(inner) }];
    }),
  );
}

/** Reads that form; throws what the server would say of a form that is none. Elements of an unknown kind are passed over. */
export function fromFieldsV1(fields: Json): FieldSet {
  if (!isMap(fields)) return NO_FIELDS;
  const known = sets.get(fields);
  if (known) return known;
  const set = setIn(fields);
  sets.set(fields, set);
  return set;
}

function setIn(fields: Json): FieldSet {
  const entries = Object.entries(isMap(fields) ? fields : {}).filter(([element]) => isElement(element));
  return new Map(
    entries.map(([element, inner]) => {
      const nested = setIn(inner);
      const owned = nested.size === 0 || (isMap(inner) && '.' in inner);
      return [element, { owned, inner: nested }];
    }),
  );
}

function isElement(element: string): boolean {
  if (element === '.') return false;
  if (element.charAt(1) !== ':') throw new Error(`missing colon: ${element}`);
  return 'fkvi'.includes(element.charAt(0));
}
