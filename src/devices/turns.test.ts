import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

const { signal } = new AbortController();

describe('turns', () => {
  it('of one name come one after another, in the order in which they were asked for', async () => {
    const turns = new Turns();
    const order: number[] = [];
    const work = async (number: number) => {
      using _turn = await turns.take('a', signal);
      order.push(number);
      await Promise.resolve();
      order.push(number);
    };
    await Promise.all([work(1), work(2), work(3)]);
    expect(order).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('of other names do not wait', async () => {
    const turns = new Turns();
    using _turn = await turns.take('a', signal);
    using _other = await turns.take('b', signal);
  });

  it('that are no longer wanted are not given, and keep nobody else waiting', async () => {
    const turns = new Turns();
    const first = await turns.take('a', signal);
    const stop = new AbortController();
    const second = turns.take('a', stop.signal);
    const third = turns.take('a', signal);
    stop.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    first[Symbol.dispose]();
    using _third = await third;
  });
});
