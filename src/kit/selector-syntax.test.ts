import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectorText, someLabels, validSelectorText } from '../../test/arbitraries/selector-text.ts';
import { InvalidValue } from './invalid-value.ts';
import { parseLabelSelector } from './selector-syntax.ts';
import { formatLabelSelector, matches } from './selectors.ts';

const rewritten = (text: string) => formatLabelSelector(parseLabelSelector(text));

describe('the language of label selectors', () => {
  it.each([
    ['', ''],
    [' \t', ''],
    ['a', 'a'],
    ['! a', '!a'],
    ['a=b', 'a=b'],
    ['a == b', 'a=b'],
    ['a!=b', 'a!=b'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['b,a', 'a,b'],
    ['a in (c,b,c)', 'a in (b,c)'],
    ['a in (b)', 'a=b'],
    ['a notin (b)', 'a!=b'],
    ['a in ()', 'a='],
    ['a in (,b,)', 'a in (,b)'],
    ['in in (in,notin)', 'in in (in,notin)'],
    ['notin', 'notin'],
    ['a>5,b<007', 'a>5,b<7'],
    ['example.com/a\nin\r(\tb )', 'example.com/a=b'],
  ])('reads %j as %j', (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  it.each([
    [',', '"," is not a label selector: "," stands where a label key is expected'],
    ['a,', '"a," is not a label selector: the end stands where a label key is expected'],
    ['a b', '"b" stands where an operator or "," is expected'],
    ['a in b', '"b" stands where "(" is expected'],
    ['a in (b', 'the end stands where ")" is expected'],
    ['a in (b c)', '"c" stands where ")" is expected'],
    ['!a=b', '"=" stands where "," is expected'],
    ['!!a', '"!" stands where a label key is expected'],
    ['a===b', '"=" stands where a label value is expected'],
    ['a=(b)', '"(" stands where a label value is expected'],
    ['a>b', 'Gt on "a" needs exactly one value, a whole number below 2^63'],
    ['a<9223372036854775808', 'Lt on "a" needs exactly one value, a whole number below 2^63'],
    ['a/b/c=d', '"a/b/c" is not a label key'],
    ['a=-', '"-" is not a label value'],
    ['a\f', '"a\\f" is not a label key'],
    ['a\0', 'it has a NUL character'],
  ])('refuses %j and says why', (text, explanation) => {
    expect(() => parseLabelSelector(text)).toThrow(explanation);
  });

  it('compares numbers as numbers, and selects no label that is none', () => {
    const selector = parseLabelSelector('size>9');
    expect(matches(selector, { size: '10' })).toBe(true);
    expect(matches(selector, { size: '9' })).toBe(false);
    expect(matches(selector, { size: 'large' })).toBe(false);
    expect(matches(selector, {})).toBe(false);
    expect(matches(parseLabelSelector('size<9'), { size: '10' })).toBe(false);
  });

  it('reads back what it writes, and selects the same', () => {
    fc.assert(
      fc.property(validSelectorText.filter(isReadable), someLabels, (text, labels) => {
        const selector = parseLabelSelector(text);
        const again = parseLabelSelector(formatLabelSelector(selector));
        expect(again).toEqual(selector);
        expect(matches(again, labels)).toBe(matches(selector, labels));
      }),
    );
  });

  it('never fails with anything but an explanation', () => {
    fc.assert(
      fc.property(fc.oneof(selectorText, fc.string()), (text) => {
        isReadable(text);
      }),
    );
    expect(isReadable('a in ('.repeat(100_000))).toBe(false);
  });
});

function isReadable(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidValue);
    return false;
  }
}
