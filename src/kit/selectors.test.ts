import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someLabels } from '../../test/arbitraries/selector-text.ts';
import { parseLabelSelector } from './selector-syntax.ts';
import { EVERYTHING, formatLabelSelector, labelSelectorOf, matches, NOTHING } from './selectors.ts';

const key = fc.constantFrom('a', 'b', 'zone', 'example.com/a', 'constructor');
const value = fc.constantFrom('', 'a', 'b', 'in');
const expression = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
);
const selectorObject = fc.record({
  matchLabels: fc.dictionary(key, value, { maxKeys: 2 }),
  matchExpressions: fc.array(expression, { maxLength: 3 }),
});

describe('a label selector object', () => {
  it('selects everything when it is empty, and nothing when it is absent', () => {
    fc.assert(
      fc.property(someLabels, (labels) => {
        expect(matches(labelSelectorOf({}), labels)).toBe(true);
        expect(matches(labelSelectorOf({ matchLabels: null, matchExpressions: [] }), labels)).toBe(true);
        expect(matches(labelSelectorOf(undefined), labels)).toBe(false);
        expect(matches(labelSelectorOf(null), labels)).toBe(false);
      }),
    );
  });

  it.each([
    ['In', { zone: 'a' }, true],
    ['In', { zone: 'c' }, false],
    ['In', {}, false],
    ['NotIn', { zone: 'a' }, false],
    ['NotIn', { zone: 'c' }, true],
    ['NotIn', {}, true],
  ])('with zone %s (a, b) on %j gives %j', (operator, labels, expected) => {
    const selector = labelSelectorOf({ matchExpressions: [{ key: 'zone', operator, values: ['a', 'b'] }] });
    expect(matches(selector, labels)).toBe(expected);
  });

  it('needs all of its conditions to hold', () => {
    const selector = labelSelectorOf({
      matchLabels: { app: 'db' },
      matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }],
    });
    expect(matches(selector, { app: 'db' })).toBe(true);
    expect(matches(selector, { app: 'db', old: '' })).toBe(false);
    expect(matches(selector, { app: 'web' })).toBe(false);
    expect(matches(selector, undefined)).toBe(false);
  });

  it('does not take what every JavaScript object has for a label', () => {
    expect(matches(labelSelectorOf({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }), {})).toBe(
      false,
    );
  });

  it.each([
    [{ key: 'a', operator: 'In', values: [] }, 'In on "a" needs at least one value'],
    [{ key: 'a', operator: 'Exists', values: ['b'] }, 'Exists on "a" takes no values'],
    [{ key: 'a', operator: 'Gt', values: ['1'] }, 'the operator must be one of In, NotIn, Exists and DoesNotExist'],
    [{ key: 'a', operator: '=', values: ['1'] }, 'the operator must be one of'],
    [{ key: 'a b', operator: 'Exists' }, '"a b Exists ()" is not a label selector: "a b" is not a label key'],
    [{ key: 'a', operator: 'In', values: ['-'] }, '"-" is not a label value'],
  ])('that says %j is explained', (written, explanation) => {
    expect(() => labelSelectorOf({ matchExpressions: [written] })).toThrow(explanation);
  });

  it('selects the same after it was written as text and read back', () => {
    fc.assert(
      fc.property(selectorObject, (object) => {
        const selector = labelSelectorOf(object);
        expect(parseLabelSelector(formatLabelSelector(selector))).toEqual(selector);
      }),
    );
  });
});

describe('a label selector as text', () => {
  it('is written in the shortest way', () => {
    const matchExpressions = [
      { key: 'zone', operator: 'In', values: ['b', 'a', 'b'] },
      { key: 'app', operator: 'NotIn', values: ['db'] },
      { key: 'disk', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ];
    const selector = labelSelectorOf({ matchLabels: { tier: '' }, matchExpressions });
    expect(formatLabelSelector(selector)).toBe('app!=db,disk,!old,tier=,zone in (a,b)');
  });

  it('tells everything from nothing', () => {
    expect(formatLabelSelector(EVERYTHING)).toBe('');
    expect(parseLabelSelector(formatLabelSelector(NOTHING))).toEqual(NOTHING);
    expect(matches(NOTHING, { nothing: '' })).toBe(false);
  });
});
