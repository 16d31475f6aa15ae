import { expect, test } from 'vitest';
import { remembering } from './remembering.ts';

test('what was asked before is not worked out again', () => {
  const asked: string[] = [];
  const length = remembering((text) => {
    asked.push(text);
    return { of: text.length };
  });
  expect([length('a'), length('bc'), length('a')]).toEqual([{ of: 1 }, { of: 2 }, { of: 1 }]);
  expect(asked).toEqual(['a', 'bc']);
});

test('it remembers no more than so many, and what it refused not at all', () => {
  let asked = 0;
  const answer = remembering((text) => {
    asked += 1;
    if (text === '') throw new Error('nothing');
    return text;
  }, 2);
  for (const text of ['a', 'b', 'c', 'a']) answer(text);
  expect(asked).toBe(4);
  for (const time of [5, 6]) {
    expect(() => answer('')).toThrow('nothing');
    expect(asked).toBe(time);
  }
});
