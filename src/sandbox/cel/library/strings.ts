/** Functions on texts. Places in a text count characters, not the units that this language counts. */
import type { RE2JS } from 're2js';
import { patternOf } from '../../patterns.ts';
import { CelError, noSuchOverload } from '../cel-error.ts';
import { isCelList } from '../values.ts';
import { integer, type Library, listAt, taking, text } from './arguments.ts';
import { formatted } from './formatted.ts';

const characters = (value: string): readonly string[] => Array.from(value);

export const STRING_METHODS: Library = {
  startsWith: taking([2], (args) => text(args, 0).startsWith(text(args, 1))),
  endsWith: taking([2], (args) => text(args, 0).endsWith(text(args, 1))),
  matches: taking([2], (args) => pattern(text(args, 1)).matcher(text(args, 0)).find()),
  charAt: taking([2], (args) => within(characters(text(args, 0)), integer(args, 1), 1).join('')),
  lowerAscii: taking([1], (args) => text(args, 0).replace(/[A-Z]/g, (char) => char.toLowerCase())),
  upperAscii: taking([1], (args) => text(args, 0).replace(/[a-z]/g, (char) => char.toUpperCase())),
  trim: taking([1], (args) =>
    text(args, 0).replace(/^[\s\u0085\u180e\u200b-\u200d\u2060]+|[\s\u0085\u180e\u200b-\u200d\u2060]+$/g, ''),
  ),
  replace: taking([3, 4], (args) =>
    replaced(text(args, 0), text(args, 1), text(args, 2), args.length === 4 ? integer(args, 3) : -1),
  ),
  split: taking([2, 3], (args) => parts(text(args, 0), text(args, 1), args.length === 3 ? integer(args, 2) : -1)),
  substring: taking([2, 3], (args) => {
    const all = characters(text(args, 0));
    const [start, end] = [integer(args, 1), args.length === 3 ? integer(args, 2) : all.length];
    if (start < 0 || start > all.length) throw new CelError(`index out of range: ${start}`);
    if (end < 0 || end > all.length) throw new CelError(`index out of range: ${end}`);
    if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
    return all.slice(start, end).join('');
  }),
  join: taking([1, 2], (args) => {
    const separator = args.length === 2 ? text(args, 1) : '';
    return listAt(args, 0)
      .map((_, place) => text(listAt(args, 0), place))
      .join(separator);
  }),
  find: taking([2], (args) => {
    const matcher = pattern(text(args, 1)).matcher(text(args, 0));
    return matcher.find() ? (matcher.group() ?? '') : '';
  }),
  findAll: taking([2, 3], (args) => found(text(args, 0), text(args, 1), args.length === 3 ? integer(args, 2) : -1)),
  format: taking([2], (args) => formatted(text(args, 0), listAt(args, 1))),
  contains: taking([2], (args) => {
    if (typeof args[0] !== 'string') throw noSuchOverload();
    return text(args, 0).includes(text(args, 1));
  }),
};

export const STRING_FUNCTIONS: Library = {
  matches: taking([2], (args) => pattern(text(args, 1)).matcher(text(args, 0)).find()),
  'strings.quote': taking([1], (args) => JSON.stringify(text(args, 0))),
};

/** `indexOf` and `lastIndexOf` of a text. Those of lists are with the lists. */
export function placeIn(args: Parameters<Library[string]>[0], last: boolean): bigint {
  if (args[0] !== undefined && isCelList(args[0])) throw noSuchOverload();
  const [all, wanted] = [characters(text(args, 0)), text(args, 1)];
  const length = characters(wanted).length;
  const places = Array.from(all.keys())
    .concat(all.length)
    .filter((place) => all.slice(place, place + length).join('') === wanted);
  const offset = args.length === 3 ? integer(args, 2) : undefined;
  const fitting = places.filter((place) => offset === undefined || (last ? place <= offset : place >= offset));
  return BigInt((last ? fitting.at(-1) : fitting[0]) ?? -1);
}

function pattern(source: string): RE2JS {
  try {
    return patternOf(source);
  } catch (error) {
    throw new CelError(`error parsing regexp: ${error instanceof Error ? error.message : error}`);
  }
}

/** The character after the last one is nothing, and not an error. */
function within(all: readonly string[], place: number, count: number): readonly string[] {
  if (place < 0 || place > all.length) throw new CelError(`index out of range: ${place}`);
  return all.slice(place, place + count);
}

function replaced(value: string, old: string, put: string, most: number): string {
  if (most < 0) return value.replaceAll(old, () => put);
  let [result, from] = ['', 0];
  for (let count = 0; count < most; count += 1) {
    const at = value.indexOf(old, from);
    if (at < 0) break;
    result += value.slice(from, at) + put;
    from = at + old.length;
  }
  return result + value.slice(from);
}

function parts(value: string, separator: string, most: number): readonly string[] {
  const all = separator === '' ? [...characters(value)] : value.split(separator);
  if (most < 0 || all.length <= most) return all;
  if (most === 0) return [];
  return [...all.slice(0, most - 1), all.slice(most - 1).join(separator)];
}

function found(value: string, source: string, most: number): readonly string[] {
  const matcher = pattern(source).matcher(value);
  const result: string[] = [];
  while ((most < 0 || result.length < most) && matcher.find()) result.push(matcher.group() ?? '');
  return result;
}
