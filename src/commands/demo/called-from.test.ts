import { expect, test } from 'vitest';
import { calledFrom } from './called-from.ts';

test.each([
  ['at the top of a checkout', '/checkout', '/checkout/src/main.ts', 'bin/holdfast'],
  ['elsewhere in it', '/checkout/docs', '/checkout/src/main.ts', '../bin/holdfast'],
  ['where it is installed', '/home/me', '/usr/lib/holdfast.mjs', 'holdfast'],
])('%s', (_, directory, script, program) => {
  expect(calledFrom(directory, script)).toBe(program);
});
