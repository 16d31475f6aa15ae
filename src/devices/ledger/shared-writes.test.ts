import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SharedWrites } from './shared-writes.ts';

/** A disk that a test answers for: each write waits until it is ended. */
class SlowDisk {
  value = 0;
  writes = 0;
  onDisk = 0;
  most = 0;
  readonly #underWay: PromiseWithResolvers<void>[] = [];
  readonly writer = new SharedWrites(async () => {
    const value = this.value;
    const ended = Promise.withResolvers<void>();
    this.writes += 1;
    this.most = Math.max(this.most, this.#underWay.push(ended));
    await ended.promise;
    this.onDisk = value;
  });

  change(): Promise<void> {
    this.value += 1;
    return this.writer.changed();
  }

  async end(error?: Error): Promise<void> {
    const ended = this.#underWay.shift();
    if (error) ended?.reject(error);
    else ended?.resolve();
    await new Promise(setImmediate);
  }
}

const full = new Error('no space left');

describe('writes of one file that many change', () => {
  test('changes that come during a write share the next one, and resolve when that has ended', async () => {
    const disk = new SlowDisk();
    const seen: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) void disk.change().then(() => seen.push(name));
    await disk.end();
    expect([seen, disk.writes]).toEqual([['a'], 2]);
    await disk.end();
    expect([seen, disk.writes, disk.onDisk]).toEqual([['a', 'b', 'c', 'd'], 2, 4]);
  });

  test('a change that is made as soon as a write has ended does not begin a second one beside the next', async () => {
    const disk = new SlowDisk();
    const first = disk.change();
    const chained = first.then(() => disk.change());
    const second = disk.change();
    await disk.end();
    expect(disk.most).toBe(1);
    await disk.end();
    await disk.end();
    await Promise.all([chained, second]);
    expect([disk.onDisk, disk.most]).toEqual([3, 1]);
  });

  test('a write that fails rejects for those who wait for it, and what it held goes with the next', async () => {
    const disk = new SlowDisk();
    const lost = expect(disk.change()).rejects.toBe(full);
    await disk.end(full);
    await lost;
    const kept = disk.change();
    await disk.end();
    await kept;
    expect(disk.onDisk).toBe(2);
  });

  test('a write that fails does not keep those who came during it from being written', async () => {
    const disk = new SlowDisk();
    const lost = expect(disk.change()).rejects.toBe(full);
    const kept = disk.change();
    await disk.end(full);
    await disk.end();
    await Promise.all([lost, kept]);
    expect(disk.onDisk).toBe(2);
  });

  test('who has nothing new writes nothing when all is on the disk, and waits for what is not', async () => {
    const disk = new SlowDisk();
    await disk.writer.written();
    expect(disk.writes).toBe(0);
    const changed = expect(disk.change()).rejects.toBe(full);
    const waiting = expect(disk.writer.written()).rejects.toBe(full);
    await disk.end(full);
    await Promise.all([changed, waiting]);
    const again = disk.writer.written();
    await disk.end();
    await again;
    expect([disk.onDisk, disk.writes]).toEqual([1, 2]);
  });

  test('something that cannot even be begun to write is a failed write like any other', async () => {
    let isBroken = true;
    const writer = new SharedWrites(() => {
      if (isBroken) throw full;
      return Promise.resolve();
    });
    await expect(writer.changed()).rejects.toBe(full);
    isBroken = false;
    await writer.written();
  });

  test('whatever happens when: one at a time, and nobody is told before it is there', async () => {
    const steps = fc.array(fc.constantFrom('change', 'look', 'end', 'fail'), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (todo) => {
        const disk = new SlowDisk();
        const early: number[] = [];
        const watch = (promise: Promise<void>) => {
          const wanted = disk.value;
          promise.then(
            () => disk.onDisk < wanted && early.push(wanted),
            () => {},
          );
        };
        for (const step of todo) {
          if (step === 'change') watch(disk.change());
          else if (step === 'look') watch(disk.writer.written());
          else await disk.end(step === 'fail' ? full : undefined);
        }
        const last = disk.writer.written();
        await disk.end();
        await disk.end();
        await last.catch(() => {});
        expect([early, disk.onDisk]).toEqual([[], disk.value]);
        expect(disk.most).toBeLessThanOrEqual(1);
      }),
    );
  });
});
