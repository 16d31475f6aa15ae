import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Line } from './line.ts';

test('whatever joins and leaves, it is served as a plain list would be', () => {
  const act = fc.record({
    do: fc.constantFrom('join', 'leave', 'next', 'clear'),
    key: fc.constantFrom('a', 'b', 'c', 'd'),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const line = new Line<string, number>();
      let list: (readonly [string, number])[] = [];
      acts.forEach((each, time) => {
        if (each.do === 'join') {
          line.join(each.key, time);
          if (!list.some(([key]) => key === each.key)) list.push([each.key, time]);
        } else if (each.do === 'leave') {
          line.leave(each.key);
          list = list.filter(([key]) => key !== each.key);
        } else if (each.do === 'next') expect(line.next()).toEqual(list.shift());
        else {
          line.clear();
          list = [];
        }
        expect([line.size, line.has(each.key)]).toEqual([list.length, list.some(([key]) => key === each.key)]);
      });
    }),
  );
});

test('the head of a long line is found without walking over those that have left', () => {
  const line = new Line<number, string>();
  for (let i = 0; i < 1_000; i++) line.join(i, 'here');
  const walks = (['entries', 'keys', 'values', Symbol.iterator] as const).map((name) => vi.spyOn(Map.prototype, name));
  while (line.size > 0) line.next();
  const begun = walks.reduce((sum, walk) => sum + walk.mock.calls.length, 0);
  for (const walk of walks) walk.mockRestore();
  expect(begun).toBeLessThan(10);
});
