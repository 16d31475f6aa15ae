/** In the words of Go's decoder; test/conformance asks a real server about some of them. */
import { expect, test } from 'vitest';
import { jsonFault } from './json-faults.ts';

test.each([
  ['{', 'unexpected end of JSON input'],
  ['{"a": "b', 'unexpected end of JSON input'],
  ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
  ['<a/>', "invalid character '<' looking for beginning of value"],
  ['{} trailing', "invalid character 't' after top-level value"],
  ['{a: 1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a": 1 "b": 2}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
])('%s', (text, fault) => {
  expect(jsonFault(text)).toBe(fault);
});
