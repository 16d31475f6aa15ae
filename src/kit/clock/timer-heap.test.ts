import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TimerHeap } from './timer-heap.ts';

const nothing = () => {};

test('timers come by their time, those of the same time as they were set, and those that were taken out not at all', () => {
  const timers = fc.array(fc.record({ at: fc.integer({ min: 0, max: 20 }), stays: fc.boolean() }), { maxLength: 80 });
  fc.assert(
    fc.property(timers, (asked) => {
      const heap = new TimerHeap();
      const set = asked.map(({ at, stays }, index) => ({ at, stays, index, call: nothing }));
      const cancels = set.map((timer) => heap.add(timer));
      for (const { stays, index } of set) if (!stays) cancels[index]?.();
      const expected = set.filter(({ stays }) => stays).sort((a, b) => a.at - b.at || a.index - b.index);
      expect(heap.size).toBe(expected.length);
      const taken = Array.from({ length: expected.length + 1 }, () => heap.takeFirst());
      expect(taken.map((timer) => timer?.at)).toEqual([...expected.map(({ at }) => at), undefined]);
    }),
  );
});

test('a timer that has been taken, or taken out, is taken out again without harm to the others', () => {
  const heap = new TimerHeap();
  const cancel = heap.add({ at: 1, call: nothing });
  heap.add({ at: 2, call: nothing });
  heap.takeFirst();
  cancel();
  cancel();
  expect(heap.first?.at).toBe(2);
});
