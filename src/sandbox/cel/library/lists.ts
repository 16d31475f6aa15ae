/** Functions on lists and sets. */
import { CelError, noSuchOverload } from '../cel-error.ts';
import { compare, equal } from '../equality.ts';
import { operate } from '../operators.ts';
import { type CelValue, isCelList, NONE, Optional } from '../values.ts';
import { anything, integer, type Library, listAt, taking } from './arguments.ts';
import { placeIn } from './strings.ts';

export const LIST_METHODS: Library = {
  isSorted: taking([1], (args) => {
    const list = listAt(args, 0);
    return list.every((each, place) => place === 0 || compare(list[place - 1] ?? null, each) <= 0);
  }),
  sum: taking([1], (args) => {
    const [first, ...others] = listAt(args, 0);
    return others.reduce((sum, each) => operate('+', sum, each), first ?? 0n);
  }),
  min: taking([1], (args) => extreme(listAt(args, 0), 'min', -1)),
  max: taking([1], (args) => extreme(listAt(args, 0), 'max', 1)),
  indexOf: taking([2, 3], (args) => (isCelList(anything(args, 0)) ? memberPlace(args, false) : placeIn(args, false))),
  lastIndexOf: taking([2, 3], (args) => (isCelList(anything(args, 0)) ? memberPlace(args, true) : placeIn(args, true))),
  slice: taking([3], (args) => {
    const [list, start, end] = [listAt(args, 0), integer(args, 1), integer(args, 2)];
    if (start < 0 || end < 0) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
    if (start > end)
      throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
    if (end > list.length) throw new CelError(`cannot slice(${start}, ${end}), list is length ${list.length}`);
    return list.slice(start, end);
  }),
  flatten: taking([1, 2], (args) => flattened(listAt(args, 0), args.length === 2 ? integer(args, 1) : 1)),
  distinct: taking([1], (args) => distinct(listAt(args, 0))),
  reverse: taking([1], (args) => listAt(args, 0).toReversed()),
  sort: taking([1], (args) => listAt(args, 0).toSorted(compare)),
  first: taking([1], (args) => optional(listAt(args, 0)[0])),
  last: taking([1], (args) => optional(listAt(args, 0).at(-1))),
};

export const LIST_FUNCTIONS: Library = {
  'lists.range': taking([1], (args) => Array.from({ length: integer(args, 0) }, (_, place) => BigInt(place))),
  'sets.contains': taking([2], (args) => listAt(args, 1).every((each) => isIn(each, listAt(args, 0)))),
  'sets.intersects': taking([2], (args) => listAt(args, 1).some((each) => isIn(each, listAt(args, 0)))),
  'sets.equivalent': taking([2], (args) => {
    const [a, b] = [listAt(args, 0), listAt(args, 1)];
    return a.every((each) => isIn(each, b)) && b.every((each) => isIn(each, a));
  }),
};

const optional = (value: CelValue | undefined): Optional => (value === undefined ? NONE : new Optional(value));

const isIn = (value: CelValue, list: readonly CelValue[]): boolean => list.some((each) => equal(each, value));

function extreme(list: readonly CelValue[], name: string, sign: 1 | -1): CelValue {
  const [first, ...others] = list;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return others.reduce((best, each) => (Math.sign(compare(each, best)) === sign ? each : best), first);
}

function memberPlace(args: readonly CelValue[], last: boolean): bigint {
  if (args.length !== 2) throw noSuchOverload();
  const isOne = (each: CelValue) => equal(each, anything(args, 1));
  return BigInt(last ? listAt(args, 0).findLastIndex(isOne) : listAt(args, 0).findIndex(isOne));
}

function flattened(list: readonly CelValue[], depth: number): readonly CelValue[] {
  if (depth < 0) throw new CelError('level must be non-negative');
  return list.flatMap((each) => (isCelList(each) && depth > 0 ? flattened(each, depth - 1) : [each]));
}

const distinct = (list: readonly CelValue[]): readonly CelValue[] =>
  list.filter((each, place) => list.findIndex((other) => equal(each, other)) === place);
