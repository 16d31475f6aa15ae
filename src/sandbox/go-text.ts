/** How Go writes values into messages. Clients see such texts, so the sandbox has to write them, too. */
import { isList, isMap, type Json, type JsonMap } from './json.ts';

/** As `%v` writes it. */
export function goText(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isMap(value)) return String(value);
  const entries = Object.keys(value).toSorted(byBytes);
  return `map[${entries.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
}

/** As `%q` writes a text. */
export const goQuoted = (text: string): string =>
  JSON.stringify(text).replace(/\\u00([01][0-9a-f])/g, (_, code: string) => GO_ESCAPES[code] ?? `\\x${code}`);

const GO_ESCAPES: Readonly<Record<string, string>> = { '07': '\\a', '0b': '\\v' };

/** As Go writes JSON: keys in the order of the alphabet, and what might end a script in a page escaped. */
export const goJson = (value: Json): string =>
  JSON.stringify(value, (_, each: Json) => (isMap(each) ? sorted(each) : each)).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const sorted = (map: JsonMap): JsonMap => Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => byBytes(a, b)));

/** What Go calls the type of a value that it read from JSON. */
export function goTypeOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** What Go's JSON reader calls a value that it did not expect. */
export function jsonWordFor(value: Json): string {
  if (isList(value)) return 'array';
  if (isMap(value)) return 'object';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Go compares strings byte by byte; the order of UTF-16 units differs from it only beyond the basic plane. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return BEYOND_BASIC.test(a) || BEYOND_BASIC.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

const BEYOND_BASIC = /[\ud800-\uffff]/;
