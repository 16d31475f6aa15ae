import { describe, expect, it } from 'vitest';
import { settled } from './clock/virtual.ts';
import { Slots } from './slots.ts';

const never = new AbortController().signal;

describe('slots', () => {
  it('are given to so many, and then in the order of asking as they become free', async () => {
    const slots = new Slots(2);
    const got: string[] = [];
    const ask = async (name: string) => {
      const slot = await slots.take(never);
      got.push(name);
      return slot;
    };
    const [a, b, c, d] = [ask('a'), ask('b'), ask('c'), ask('d')];
    await settled();
    expect(got).toEqual(['a', 'b']);
    (await b)[Symbol.dispose]();
    await settled();
    expect(got).toEqual(['a', 'b', 'c']);
    (await a)[Symbol.dispose]();
    (await c)[Symbol.dispose]();
    (await d)[Symbol.dispose]();
    expect(got).toEqual(['a', 'b', 'c', 'd']);
  });

  it('given back twice count once', async () => {
    const slots = new Slots(1);
    const first = await slots.take(never);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await slots.take(never);
    let second = false;
    void slots.take(never).then(() => {
      second = true;
    });
    await settled();
    expect(second).toBe(false);
  });

  it('are not waited for any longer by who is aborted, and go to the next', async () => {
    const slots = new Slots(1);
    const first = await slots.take(never);
    const stop = new AbortController();
    const aborted = slots.take(stop.signal);
    const next = slots.take(never);
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    first[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });

  it('are not taken by who was aborted before', async () => {
    const slots = new Slots(1);
    await expect(slots.take(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    await expect(slots.take(never)).resolves.toBeDefined();
  });
});
