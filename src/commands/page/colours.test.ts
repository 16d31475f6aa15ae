import { expect, test } from 'vitest';
import { coloured, hasColours } from './colours.ts';

test.each([
  ['a terminal has them', {}, true, true],
  ['a pipe has not', {}, false, false],
  ['NO_COLOR takes them away', { NO_COLOR: '1' }, true, false],
  ['an empty NO_COLOR does not', { NO_COLOR: '' }, true, true],
  ['FORCE_COLOR brings them into a pipe', { FORCE_COLOR: '1' }, false, true],
  ['FORCE_COLOR counts more than NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
  ['FORCE_COLOR=0 takes them away', { FORCE_COLOR: '0' }, true, false],
  ['a dumb terminal has not', { TERM: 'dumb' }, true, false],
])('%s', (_, env, isTTY, expected) => {
  expect(hasColours({ env, stdout: { isTTY } })).toBe(expected);
});

test('a colour ends where the text does', () => {
  expect(coloured('x', 'bad')).toBe('\u001b[31mx\u001b[39m');
});
