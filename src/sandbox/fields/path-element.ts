/**
 * One step of the way to a field, written as in managedFields: `f:name` is a field, `k:{"name":"x"}` the member of a list with that key,
 * `v:"x"` the member of a set with that value, `i:0` the member of a list at that place.
 */
import { byBytes, goJson, goQuoted } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';

export type PathElement = string;

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: Json): PathElement => `v:${goJson(value)}`;

/** The names are in the order of the alphabet. */
export function keyElement(key: readonly (readonly [name: string, value: Json])[]): PathElement {
  const fields = key.toSorted(([a], [b]) => byBytes(a, b)).map(([name, value]) => `${goJson(name)}:${goJson(value)}`);
  return `k:{${fields.join(',')}}`;
}

export const fieldNameOf = (element: PathElement): string | undefined =>
  element.startsWith('f:') ? element.slice(2) : undefined;

export const isKeyElement = (element: PathElement): boolean => element.startsWith('k:');

const KINDS = 'fkvi';

/** Fields come first, then members by key, by value and by place. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kind = a.charAt(0);
  if (kind !== b.charAt(0)) return KINDS.indexOf(kind) - KINDS.indexOf(b.charAt(0));
  if (kind === 'f') return byBytes(a, b);
  if (kind === 'i') return Number(a.slice(2)) - Number(b.slice(2));
  const [left, right] = [contentOf(a), contentOf(b)];
  return kind === 'k' && isMap(left) && isMap(right) ? compareKeys(left, right) : compareValues(left, right);
}

const contentOf = (element: PathElement): Json => JSON.parse(element.slice(2)) as Json;

function compareKeys(a: JsonMap, b: JsonMap): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = byBytes(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const RANKS = ['number', 'string', 'boolean'];

function compareValues(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return byBytes(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return rankOf(a) - rankOf(b);
}

function rankOf(value: Json): number {
  const rank = RANKS.indexOf(typeof value);
  return rank === -1 ? RANKS.length : rank;
}

/** As messages write it. */
export function elementText(element: PathElement): string {
  switch (element.charAt(0)) {
    case 'f':
      return `.${element.slice(2)}`;
    case 'k':
      return `[${keyTexts(contentOf(element)).join(',')}]`;
    case 'v':
      return `[=${valueText(contentOf(element))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

const keyTexts = (key: Json): readonly string[] =>
  isMap(key) ? Object.entries(key).map(([name, value]) => `${name}=${valueText(value)}`) : [];

export function valueText(value: Json): string {
  if (typeof value === 'string') return goQuoted(value);
  return isList(value) ? `[${value.map(valueText).join(',')}]` : String(value);
}
