import { describe, expect, it } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { inParallel } from './in-parallel.ts';

const never = new AbortController().signal;

describe('pieces in parallel', () => {
  it('are as many at a time as there are workers, begun in their order, each once', async () => {
    const clock = new VirtualClock();
    const begun: number[] = [];
    let [under, most] = [0, 0];
    const all = inParallel(3, upTo(10), never, async (piece) => {
      begun.push(piece);
      most = Math.max(most, ++under);
      await sleep(clock, 10 - piece);
      under -= 1;
    });
    await clock.advance(100);
    await all;
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(most).toBe(3);
  });

  it('begin no more when one fails, and those under way are waited for', async () => {
    const clock = new VirtualClock();
    const [begun, ended]: [number[], number[]] = [[], []];
    let outcome: unknown;
    inParallel(3, upTo(10), never, async (piece) => {
      begun.push(piece);
      await sleep(clock, (piece + 1) * 10);
      if (piece === 0) throw new Error('the first');
      if (piece === 1) throw new Error('a later one');
      ended.push(piece);
    }).catch((error: unknown) => {
      outcome = error;
    });
    await clock.advance(20);
    expect(outcome).toBeUndefined();
    await clock.advance(20);
    expect(outcome).toMatchObject({ message: 'the first' });
    expect([begun, ended]).toEqual([[0, 1, 2], [2]]);
  });

  it('that have begun and wait are told when another fails', async () => {
    const clock = new VirtualClock();
    const all = inParallel(2, upTo(10), never, async (piece, signal) => {
      if (piece === 0) throw new Error('failed');
      await sleep(clock, 1e9, signal);
    });
    await expect(all).rejects.toThrow('failed');
    expect(clock.pending).toBe(0);
  });

  it('end with the reason of the caller when the caller wants no more', async () => {
    const stop = new AbortController();
    const clock = new VirtualClock();
    const begun: number[] = [];
    const all = inParallel(2, upTo(10), stop.signal, async (piece, signal) => {
      begun.push(piece);
      await sleep(clock, 10, signal);
    });
    await settled();
    stop.abort(new Error('enough'));
    await expect(all).rejects.toThrow('enough');
    expect(begun).toEqual([0, 1]);
  });
});

function* upTo(count: number): Generator<number> {
  for (let number = 0; number < count; number++) yield number;
}
