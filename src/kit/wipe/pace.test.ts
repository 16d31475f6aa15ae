import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { ALIGNMENT_BYTES } from './course.ts';
import { Pace } from './pace.ts';

const MIB = 2 ** 20;
const never = new AbortController().signal;

describe('a pace', () => {
  it('without a limit lets everything pass at once', async () => {
    const pace = new Pace(undefined, new VirtualClock());
    expect(pace.most(4 * MIB)).toBe(4 * MIB);
    await pace.turn(1e15, never);
  });

  it('makes pieces so small that some pass each second, and whole pages at least', () => {
    const clock = new VirtualClock();
    expect(new Pace(100 * MIB, clock).most(1024 * MIB)).toBe(25 * MIB);
    expect(new Pace(100 * MIB, clock).most(4 * MIB)).toBe(4 * MIB);
    expect(new Pace(1_000_000, clock).most(4 * MIB) % ALIGNMENT_BYTES).toBe(0);
    expect(new Pace(1, clock).most(4 * MIB)).toBe(ALIGNMENT_BYTES);
  });

  it('lets no more pass in any stretch of time than the limit and one piece, however many ask at once', async () => {
    const workers = fc.integer({ min: 1, max: 8 });
    const bandwidth = fc.integer({ min: 10_000, max: 500 * MIB });
    const idle = fc.array(fc.nat(3_000), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(workers, bandwidth, idle, async (many, limit, pauses) => {
        const passed = await passing(many, limit, pauses);
        const piece = new Pace(limit, new VirtualClock()).most(4 * MIB);
        for (const [index, from] of passed.entries())
          for (const [count, to] of passed.slice(index).entries())
            expect((count + 1) * piece).toBeLessThanOrEqual(((to - from) / 1000) * limit + piece * 1.001);
      }),
      { numRuns: 30 },
    );
  });

  it('uses the limit up when it is always asked', async () => {
    const passed = await passing(4, 8 * MIB, Array(40).fill(0));
    expect(passed).toHaveLength(4 * 40);
    expect(passed.at(-1)).toBeCloseTo((4 * 40 - 1) * 250, -1);
  });

  it('lets whoever waits go as soon as it is aborted', async () => {
    const clock = new VirtualClock();
    const pace = new Pace(1, clock);
    const stop = new AbortController();
    await pace.turn(4096, stop.signal);
    const waiting = pace.turn(4096, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(pace.turn(1, stop.signal)).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});

/** When pieces passed, in milliseconds: each worker asks for one, pauses, and asks for the next. */
async function passing(workers: number, limit: number, pauses: readonly number[]): Promise<readonly number[]> {
  const clock = new VirtualClock();
  const pace = new Pace(limit, clock);
  const passed: number[] = [];
  const worker = async () => {
    for (const pause of pauses) {
      await pace.turn(pace.most(4 * MIB), never);
      passed.push(clock.monotonic());
      if (pause > 0) await new Promise<void>((resolve) => clock.after(pause, resolve));
    }
  };
  let over = false;
  const all = Promise.all(Array.from({ length: workers }, worker)).then(() => {
    over = true;
  });
  while (!over) await clock.advance(60_000);
  await all;
  return passed;
}
