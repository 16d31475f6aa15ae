import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldSelectorText } from '../../test/arbitraries/selector-text.ts';
import { type FieldRequirement, formatFieldSelector, matchesFields, parseFieldSelector } from './field-selectors.ts';
import { InvalidValue } from './invalid-value.ts';

const requirement: fc.Arbitrary<FieldRequirement> = fc.record({
  field: fc.constantFrom('metadata.name', 'spec.nodeName', 'status.phase'),
  operator: fc.constantFrom('=', '!='),
  value: fc.string({ unit: fc.constantFrom(...'ab\\,=! \né') }),
});

describe('a field selector', () => {
  it.each([
    ['', []],
    [',,', []],
    ['=,!=', []],
    ['metadata.name=db', [{ field: 'metadata.name', operator: '=', value: 'db' }]],
    ['metadata.name==db', [{ field: 'metadata.name', operator: '=', value: 'db' }]],
    [
      'a!=,b=c',
      [
        { field: 'a', operator: '!=', value: '' },
        { field: 'b', operator: '=', value: 'c' },
      ],
    ],
    ['a=b\\,c\\=d\\\\', [{ field: 'a', operator: '=', value: 'b,c=d\\' }]],
  ])('reads %j', (text, expected) => {
    expect(parseFieldSelector(text)).toEqual(expected);
  });

  it.each([
    ['a', '"a" is not a field selector: "a" has none of =, == and !='],
    ['a=b=c', 'in the value "b=c", write \\\\ for a backslash, \\= for "=" and \\, for ","'],
    ['a=\\b', 'in the value "\\\\b", write'],
    ['a=b\\', 'in the value "b\\\\", write'],
  ])('refuses %j and says why', (text, explanation) => {
    expect(() => parseFieldSelector(text)).toThrow(explanation);
  });

  it('reads back what it writes, whatever is in the values', () => {
    fc.assert(
      fc.property(fc.array(requirement), (selector) => {
        expect(parseFieldSelector(formatFieldSelector(selector))).toEqual(selector);
      }),
    );
  });

  it('takes a field that is not there for an empty one', () => {
    const fields = { 'metadata.name': 'db' };
    expect(matchesFields(parseFieldSelector('metadata.name=db,spec.nodeName='), fields)).toBe(true);
    expect(matchesFields(parseFieldSelector('metadata.name!=db'), fields)).toBe(false);
    expect(matchesFields(parseFieldSelector('spec.nodeName!='), fields)).toBe(false);
    expect(matchesFields(parseFieldSelector('constructor='), {})).toBe(true);
  });

  it('never fails with anything but an explanation', () => {
    fc.assert(
      fc.property(fc.oneof(fieldSelectorText, fc.string()), (text) => {
        try {
          parseFieldSelector(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
        }
      }),
    );
    expect(() => parseFieldSelector('\\'.repeat(1_000_000))).toThrow(InvalidValue);
  });
});
