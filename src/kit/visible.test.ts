import { expect, test } from 'vitest';
import { visible, visibleLines } from './visible.ts';

test.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['\u009b31m', '\\u009b31m'],
  ['a\nb\rc\td\u0000', 'a\\u000ab\\u000dc\\u0009d\\u0000'],
  ['\u007f', '\\u007f'],
  ['gpj.\u202eexe', 'gpj.\\u202eexe'],
  ['\u2066a\u2069\u200e\u061c\u2028', '\\u2066a\\u2069\\u200e\\u061c\\u2028'],
])('%j cannot steer a terminal', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test.each(['plain', 'Größe 5 µm', '数据', '🗄', 'back\\slash'])('%s stays as it is', (text) => {
  expect(visible(text)).toBe(text);
});

test('several lines stay lines', () => {
  expect(visibleLines('a\n\u001bb\n')).toBe('a\n\\u001bb\n');
});

test('JSON means the same as before', () => {
  const value = { path: '/dev/\u009b31m\u202e\n' };
  expect(JSON.parse(visibleLines(JSON.stringify(value, null, 2)))).toEqual(value);
});
