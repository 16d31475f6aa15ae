import { expect, test } from 'vitest';
import { flagsIn } from './small-container.ts';

const MIB = 2 ** 20;

test('a small container leaves less than half of its memory to the heap', () => {
  expect(flagsIn(128 * MIB, [])).toEqual(['--max-old-space-size=56', '--max-semi-space-size=2']);
  expect(flagsIn(512 * MIB, ['--max-semi-space-size=16'])).toContain('--max-old-space-size=225');
});

test.each([
  ['there is no limit', 0, []],
  ['the limit is not known', Number.NaN, []],
  ['there is plenty', 2 ** 40, []],
  ['somebody has said it', 128 * MIB, ['--max-old-space-size=80']],
  ['somebody has said it as a share', 128 * MIB, ['--max-old-space-size-percentage=50']],
])('Node is not told anything when %s', (_when, memory, given) => {
  expect(flagsIn(memory, given)).toEqual([]);
});
