/** In the words of a kube-apiserver; test/conformance asks one for more of them. */
import { expect, test } from 'vitest';
import { fieldSelectorFault, labelSelectorFault } from './selector-faults.ts';

test('nothing is wrong with a label selector that can be read', () => {
  for (const selector of [
    '',
    'a',
    '!a',
    'a=b',
    'a==b',
    'a!=b',
    'a in (b,c),d notin (e)',
    'a=',
    'in in (in)',
    'a>1,b<2',
  ])
    expect(labelSelectorFault(selector)).toBeUndefined();
});

test.each([
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['app in x', "unable to parse requirement: found 'x' expected: '('"],
  ['app in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a=b)', "found ')', expected: ',' or 'end of string'"],
  ['=x', "found '=', expected: !, identifier, or 'end of string'"],
  [
    'a>x',
    `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
])('%s is told what was expected', (selector, fault) => {
  expect(labelSelectorFault(selector)).toBe(fault);
});

test('a field selector is told the term that is none', () => {
  expect(fieldSelectorFault('a=b,c')).toBe("invalid selector: 'a=b,c'; can't understand 'c'");
});
