import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  difference,
  type FieldSet,
  fromFieldsV1,
  has,
  intersection,
  isEmptySet,
  isSameSet,
  outside,
  pathsOf,
  setOf,
  toFieldsV1,
  union,
} from './field-set.ts';
import { compareElements, elementText, fieldElement, keyElement, valueElement } from './path-element.ts';

const element = fc.oneof(
  fc.constantFrom('a', 'b', 'name').map(fieldElement),
  fc.constantFrom('x', 'y', 1, true).map(valueElement),
  fc.constantFrom('x', 'y').map((name) =>
    keyElement([
      ['port', 80],
      ['name', name],
    ]),
  ),
);
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const set = fc.array(path, { maxLength: 6 }).map((paths) => setOf(...paths));
const texts = (fields: FieldSet) =>
  pathsOf(fields)
    .map((each) => each.join(' '))
    .toSorted();

test('a set that is written can be read again', () => {
  fc.assert(
    fc.property(set, (fields) => {
      expect(texts(fromFieldsV1(toFieldsV1(fields)))).toEqual(texts(fields));
    }),
  );
});

test('union, intersection and difference are those of the paths', () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      const [left, right] = [texts(a), texts(b)];
      expect(texts(union(a, b))).toEqual([...new Set([...left, ...right])].toSorted());
      expect(texts(intersection(a, b))).toEqual(left.filter((each) => right.includes(each)));
      expect(texts(difference(a, b))).toEqual(left.filter((each) => !right.includes(each)));
      expect(isEmptySet(difference(a, a))).toBe(true);
    }),
  );
});

test('outside of a set is what is neither in it nor inside of what is', () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      const isIn = (each: readonly string[]) => each.some((_, depth) => has(b, each.slice(0, depth + 1)));
      const expected = pathsOf(a).filter((each) => !isIn(each));
      expect(texts(outside(a, b))).toEqual(expected.map((each) => each.join(' ')).toSorted());
    }),
  );
});

test('the form has one order: fields, keys, values, places', () => {
  const elements = [
    'i:10',
    'i:2',
    valueElement('b'),
    valueElement(2),
    valueElement('a'),
    keyElement([
      ['b', 1],
      ['a', 2],
    ]),
    keyElement([['a', 1]]),
    'f:b',
    'f:a',
  ];
  expect(elements.toSorted(compareElements)).toEqual([
    'f:a',
    'f:b',
    'k:{"a":1}',
    'k:{"a":2,"b":1}',
    'v:2',
    'v:"a"',
    'v:"b"',
    'i:2',
    'i:10',
  ]);
  expect(Object.keys(toFieldsV1(setOf(['f:b'], ['f:a', 'f:z'], ['f:a'])))).toEqual(['f:a', 'f:b']);
  expect(toFieldsV1(setOf(['f:b'], ['f:a', 'f:z'], ['f:a']))).toEqual({ 'f:a': { '.': {}, 'f:z': {} }, 'f:b': {} });
});

test('what might end a script is escaped, as Go does it', () => {
  expect(valueElement('<a&b>')).toBe('v:"\\u003ca\\u0026b\\u003e"');
});

test('elements are written for people', () => {
  const written = [
    'f:spec',
    keyElement([
      ['name', 'a"b'],
      ['port', 1],
    ]),
    valueElement('x'),
    valueElement(true),
    'i:3',
  ].map(elementText);
  expect(written).toEqual(['.spec', '[name="a\\"b",port=1]', '[="x"]', '[=true]', '[3]']);
});

test('what is no element is refused, and an unknown kind of element is passed over', () => {
  expect(() => fromFieldsV1({ abc: {} })).toThrow('missing colon: abc');
  expect(fromFieldsV1({ 'x:abc': {}, 'f:a': {} }).size).toBe(1);
});

test('sets are the same when they have the same fields, in whatever order they came', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 6 }), set, (paths, other) => {
      const one = setOf(...paths);
      expect(isSameSet(one, setOf(...paths.toReversed()))).toBe(true);
      expect(isSameSet(one, other)).toBe(isEmptySet(difference(one, other)) && isEmptySet(difference(other, one)));
    }),
  );
});

test('a set that was written is read as the one that it was', () => {
  const owned = setOf([fieldElement('a')], [fieldElement('b'), fieldElement('name')]);
  const form = toFieldsV1(owned);
  expect(toFieldsV1(owned)).toBe(form);
  expect(fromFieldsV1(form)).toBe(owned);
  expect(fromFieldsV1(structuredClone(form))).toEqual(owned);
});
