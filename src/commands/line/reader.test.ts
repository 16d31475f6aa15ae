import { expect, test } from 'vitest';
import { nobodyReads, reader } from './reader.ts';

test('a command that has something to put away is told once that nobody reads, and every write that fails after that is its own', () => {
  using mine = reader();
  expect(mine.gone.aborted).toBe(false);
  expect([nobodyReads(), nobodyReads()]).toEqual([true, true]);
  expect(mine.gone.reason).toEqual(new Error('nobody reads what it tells any more'));
});

test('where no command wants to know, there is nobody to be told', () => {
  reader()[Symbol.dispose]();
  expect(nobodyReads()).toBe(false);
});
