import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewAtATime } from './few-at-a-time.ts';

const turn = () => new Promise(setImmediate);

describe('a few at a time', () => {
  test('each once, in order, and never more than that', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), async (items, limit) => {
        let [now, most] = [0, 0];
        const results = await fewAtATime(limit, items, async (turns) => {
          most = Math.max(most, ++now);
          for (let i = 0; i < turns; i += 1) await turn();
          now -= 1;
          return turns * 2;
        });
        expect(results).toEqual(items.map((item) => item * 2));
        expect(most).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 30 },
    );
  });

  test('as many as allowed, while each has to wait', async () => {
    let [now, most] = [0, 0];
    await fewAtATime(3, [1, 2, 3, 4, 5], async () => {
      most = Math.max(most, ++now);
      await turn();
      now -= 1;
    });
    expect(most).toBe(3);
  });

  test('none is begun after one has failed', async () => {
    const begun: number[] = [];
    const failing = fewAtATime(2, [1, 2, 3, 4, 5], async (item) => {
      begun.push(item);
      await turn();
      if (item === 2) throw new Error('two');
      await turn();
    });
    await expect(failing).rejects.toThrow('two');
    await turn();
    await turn();
    expect(begun).toEqual([1, 2]);
  });

  test('what is under way when one fails has ended when it rejects with the first failure', async () => {
    let underWay = 0;
    const failing = fewAtATime(3, [1, 2, 3], async (item) => {
      underWay += 1;
      for (let turns = 0; turns < item * 3; turns += 1) await turn();
      underWay -= 1;
      if (item < 3) throw new Error(`number ${item}`);
    });
    await expect(failing).rejects.toThrow('number 1');
    expect(underWay).toBe(0);
  });
});
