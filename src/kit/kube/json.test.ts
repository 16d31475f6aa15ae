import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatJson, parseJson } from './json.ts';

describe('JSON', () => {
  test('of any shape survives being read and written', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(formatJson(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test('with integers of any size, anywhere, survives to the digit', () => {
    const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String);
    fc.assert(
      fc.property(integer, integer, integer, (a, b, c) => {
        const text = `{"a":${a},"list":[${b},{"deep":${c}}],"text":"${a}"}`;
        expect(formatJson(parseJson(text))).toBe(text);
      }),
    );
  });

  test('may have blanks around its large integers', () => {
    const text = '{"a": 9223372036854775807,\n"b":[ -9223372036854775808 , 1 ]}';
    expect(formatJson(parseJson(text))).toBe('{"a":9223372036854775807,"b":[-9223372036854775808,1]}');
  });

  test('gives numbers for all that a number holds', () => {
    expect(parseJson('[9007199254740991, 1.5, -3, 1e21, 0.1234567890123456]')).toEqual([
      9007199254740991, 1.5, -3, 1e21, 0.1234567890123456,
    ]);
  });

  test('keeps a member that is called __proto__', () => {
    const text = '{"__proto__":{"size":12345678901234567890}}';
    expect(formatJson({ ...(parseJson(text) as object) })).toBe(text);
  });

  test('that is none is refused', () => {
    expect(() => parseJson('<html>')).toThrow(SyntaxError);
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});
