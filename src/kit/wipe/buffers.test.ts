import { describe, expect, it } from 'vitest';
import { settled } from '../clock/virtual.ts';
import { isAligned } from '../host/aligned-buffer.ts';
import { BUFFER_BYTES, Buffers, buffersOf } from './buffers.ts';

const never = new AbortController().signal;

describe('buffers', () => {
  it('are so few that they are no burden, and whoever asks when all are lent gets the next that comes back', async () => {
    const buffers = new Buffers();
    const lent = new Set<Buffer>();
    const ends: (() => void)[] = [];
    const borrow = () =>
      buffers.lend(never, async (buffer) => {
        expect(lent.has(buffer)).toBe(false);
        lent.add(buffer);
        await new Promise<void>((resolve) => ends.push(resolve));
        lent.delete(buffer);
      });
    const all = Array.from({ length: 100 }, borrow);
    await settled();
    const most = lent.size;
    expect(most * BUFFER_BYTES).toBe(4 * 2 ** 20);
    expect([...lent].every(isAligned)).toBe(true);
    const seen = new Set(lent);
    while (ends.length > 0) {
      ends.shift()?.();
      await settled();
      for (const buffer of lent) seen.add(buffer);
    }
    await Promise.all(all);
    expect(seen.size).toBe(most);
  });

  it('come back when the work fails, and are not waited for by who is aborted', async () => {
    const buffers = new Buffers();
    for (let i = 0; i < 100; i++)
      await expect(buffers.lend(never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await buffers.lend(never, async () => {});
    await expect(buffers.lend(AbortSignal.abort(new Error('enough')), async () => {})).rejects.toThrow('enough');
  });

  it('are shared by all wipes of a process, and by no other', () => {
    const [one, other] = [{}, {}];
    expect(buffersOf(one)).toBe(buffersOf(one));
    expect(buffersOf(one)).not.toBe(buffersOf(other));
  });
});
