import { describe, expect, test, vi } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { Reread } from './reread.ts';

describe('what is read again', () => {
  test('is read once for ten seconds, and then anew', async () => {
    const { clock, read, reread } = aReread('a', 'b');
    expect([await reread.get(false), await reread.get(false)]).toEqual(['a', 'a']);
    await clock.advance(9_999);
    expect(await reread.get(false)).toBe('a');
    await clock.advance(1);
    expect(await reread.get(false)).toBe('b');
    expect(read.mock.calls).toEqual([[false], [false]]);
  });

  test('is read at once when what is held is no good', async () => {
    const { read, reread } = aReread('a', 'b');
    await reread.get(false);
    expect(await reread.get(true)).toBe('b');
    expect(await reread.get(false)).toBe('b');
    expect(read.mock.calls).toEqual([[false], [true]]);
  });

  test('is read once for all who ask meanwhile', async () => {
    const { read, reread } = aReread('a', 'b');
    expect(await Promise.all([reread.get(false), reread.get(false), reread.get(true)])).toEqual(['a', 'a', 'a']);
    expect(await Promise.all([reread.get(true), reread.get(true), reread.get(false)])).toEqual(['b', 'b', 'a']);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('stays as it was while it cannot be read, and is tried again ten seconds later', async () => {
    const { clock, read, reread } = aReread('a', new Error('gone for a moment'), 'b');
    await reread.get(false);
    await clock.advance(10_000);
    expect([await reread.get(false), await reread.get(false)]).toEqual(['a', 'a']);
    expect(read).toHaveBeenCalledTimes(2);
    await clock.advance(10_000);
    expect(await reread.get(false)).toBe('b');
  });

  test('is an error when it cannot be read and what is held is no good', async () => {
    const { reread } = aReread('a', new Error('gone'));
    await reread.get(false);
    await expect(reread.get(true)).rejects.toThrow('gone');
    expect(await reread.get(false)).toBe('a');
  });

  test('is an error when it could never be read, and is tried again at once', async () => {
    const { reread } = aReread(new Error('not there yet'), 'a');
    await expect(Promise.all([reread.get(false), reread.get(false)])).rejects.toThrow('not there yet');
    expect(await reread.get(false)).toBe('a');
  });
});

/** Gives these one after another. */
function aReread(...results: readonly (string | Error)[]) {
  const clock = new VirtualClock();
  const left = [...results];
  const read = vi.fn(async (_refresh: boolean): Promise<string> => {
    const next = left.shift() ?? expect.unreachable('it was read too often');
    if (next instanceof Error) throw next;
    return next;
  });
  return { clock, read, reread: new Reread(clock, read) };
}
