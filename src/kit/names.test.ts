import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelKeyText, labelValueText, nameText } from '../../test/arbitraries/name-text.ts';
import { annotationKeyFault, dnsLabelFault, dnsSubdomainFault, labelKeyFault, labelValueFault } from './names.ts';

const long = (length: number) => 'a'.repeat(length);

describe('a DNS label', () => {
  it.each(['a', '0', 'my-name', '123-abc', 'a--b', long(63)])('may be %s', (name) => {
    expect(dnsLabelFault(name)).toBeUndefined();
  });

  it.each([
    ['', '"" is not a DNS label: it is empty'],
    ['My-name', '"My-name" is not a DNS label: "M" is not allowed, only lower-case letters, digits and "-"'],
    ['a.b', '"a.b" is not a DNS label: "." is not allowed, only lower-case letters, digits and "-"'],
    ['a😀', '"a😀" is not a DNS label: "😀" is not allowed, only lower-case letters, digits and "-"'],
    ['-a', '"-a" is not a DNS label: "-" is not allowed at the start or the end'],
    ['a-', '"a-" is not a DNS label: "-" is not allowed at the start or the end'],
    ['a\n', '"a\\n" is not a DNS label: "\\n" is not allowed, only lower-case letters, digits and "-"'],
    [long(64), `"${long(64)}" is not a DNS label: it has 64 characters, and 63 is the most`],
  ])('may not be %j', (name, sentence) => {
    expect(dnsLabelFault(name)).toBe(sentence);
  });
});

describe('a DNS name', () => {
  it.each(['a', 'a.b', '1.2.3', 'a-b.c-d', long(253)])('may be %s', (name) => {
    expect(dnsSubdomainFault(name)).toBeUndefined();
  });

  it.each(['', '.', 'a.', '.a', 'a..b', 'a_b', 'a.-b', 'A.b', 'a/b', long(254)])('may not be %j', (name) => {
    expect(dnsSubdomainFault(name)).toMatch(/ is not a DNS name: /);
  });
});

describe('a label key', () => {
  it.each(['a', 'A_b.c-D', 'example.com/Name', `${long(253)}/${long(63)}`, 'constructor'])('may be %s', (key) => {
    expect(labelKeyFault(key)).toBeUndefined();
  });

  it.each([
    ['', '"" is not a label key: it is empty'],
    ['/a', '"/a" is not a label key: in front of the "/", it is empty'],
    ['a/', '"a/" is not a label key: after the "/", it is empty'],
    ['a/b/c', '"a/b/c" is not a label key: after the "/", "/" is not allowed, only letters, digits, "-", "_" and "."'],
    [
      'A.com/b',
      '"A.com/b" is not a label key: in front of the "/", "A" is not allowed, only lower-case letters, digits and "-"',
    ],
    [`a/${long(64)}`, /after the "\/", it has 64 characters, and 63 is the most/],
  ])('may not be %j', (key, sentence) => {
    expect(labelKeyFault(key)).toMatch(sentence);
  });
});

describe('a label value', () => {
  it.each(['', 'a', 'A_b.c-D', long(63)])('may be %j', (value) => {
    expect(labelValueFault(value)).toBeUndefined();
  });

  it.each(['-', 'a b', '_a', 'a.', 'a/b', long(64)])('may not be %j', (value) => {
    expect(labelValueFault(value)).toMatch(/ is not a label value: /);
  });
});

describe('an annotation key', () => {
  it('may have upper case in front of the slash, and what the server takes for a letter', () => {
    expect(annotationKeyFault('Example.COM/Name')).toBeUndefined();
    expect(annotationKeyFault('\u0130\u212a')).toBeUndefined();
    expect(annotationKeyFault('_a')).toMatch(/is not an annotation key: /);
  });
});

describe('names of all kinds', () => {
  const anyText = fc.oneof(nameText, labelKeyText, labelValueText, fc.string());

  it('are judged as the regular expressions of the API documentation judge them', () => {
    const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
    const part = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
    const dnsName = new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`);
    const key = new RegExp(`^((?=[^/]{1,253}/)${label}(\\.${label})*/)?(?=.{1,63}$)${part}$`);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(dnsLabelFault(text) === undefined).toBe(new RegExp(`^(?=.{1,63}$)${label}$`).test(text));
        expect(dnsSubdomainFault(text) === undefined).toBe(dnsName.test(text));
        expect(labelKeyFault(text) === undefined).toBe(key.test(text));
        expect(labelValueFault(text) === undefined).toBe(new RegExp(`^((?=.{1,63}$)${part})?$`).test(text));
      }),
    );
  });
});
