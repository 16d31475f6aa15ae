import { expect, test } from 'vitest';
import { growFreely } from './heap.ts';

test.each([
  ['where nobody has set a limit', undefined, 1],
  ['where none is known', 0, 1],
  ['in a large container', 2 ** 30, 1],
  ['not in a small one', 100e6, 0],
])('dead bytes may lie for longer %s', (_where, memory, times) => {
  const flags: string[] = [];
  growFreely(memory, (each) => flags.push(each));
  expect(flags).toEqual(Array.from({ length: times }, () => '--heap-growing-percent=400'));
});
