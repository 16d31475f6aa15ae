import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WIPE_METHODS, type WipeMethod } from './contract.ts';
import type { Receipt } from './ledger/entry.ts';
import { type Attempt, SimulatedWipe } from './simulated-wipe.ts';
import { aWipe, expectClean, SMALL, WAYS } from './ways-of-wiping.ts';

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const HEAD = 100 * MIB;

describe('a wipe', () => {
  it('by zero-head writes zeroes over the heads and touches nothing else', async () => {
    const wipe = new SimulatedWipe({ sizeBytes: GIB + 50 * MIB + 512 });
    const edges = [0, HEAD - MIB, HEAD, GIB - MIB, GIB, GIB + 50 * MIB].map((start) => ({
      start,
      length: start > GIB ? 512 : MIB,
    }));
    wipe.fill(edges);
    const receipt = await wipe.toItsEnd({ method: 'zero-head', verification: 'all' });
    expect(receipt).toMatchObject({ method: 'zero-head', bytes: HEAD + 50 * MIB + 512, verified: 'all' });
    expect(wipe.disk.isZero(0, HEAD)).toBe(true);
    expect(wipe.disk.isZero(GIB)).toBe(true);
    expect(wipe.isFilled(HEAD, MIB)).toBe(true);
    expect(wipe.isFilled(GIB - MIB, MIB)).toBe(true);
  });

  it.each<[WipeMethod, Partial<Receipt>]>([
    ['zero-head', { bytes: HEAD, writtenBytes: HEAD, verifiedBytes: HEAD }],
    ['zero-all', { bytes: 300 * MIB, writtenBytes: 300 * MIB, verifiedBytes: 300 * MIB }],
    ['discard', { bytes: 300 * MIB, writtenBytes: HEAD, verifiedBytes: HEAD }],
  ])('by %s has a receipt of what was written and of all that was read back', async (method, bytes) => {
    const wipe = aWipe(method, 300 * MIB);
    expect(await wipe.toItsEnd({ method, verification: 'all' })).toMatchObject({ ...bytes, verified: 'all' });
  });

  it.each<WipeMethod>(['zero-all', 'discard'])('by %s has a receipt of how much the samples were', async (method) => {
    const wipe = aWipe(method, 300 * MIB);
    let read = 0;
    wipe.machine.faults.when(
      ({ verb, length = 0 }) => {
        if (verb === 'device.read') read += length;
        return false;
      },
      { kind: 'fail' },
    );
    const receipt = await wipe.toItsEnd({ method, verification: 'sample' });
    expect(receipt).toMatchObject({ verified: 'sample', verifiedBytes: read });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(HEAD);
  });

  it.each(WIPE_METHODS)('by %s is complete, on a size that is no multiple of a page', async (method) => {
    const wipe = aWipe(method, 9 * MIB + 512);
    await wipe.toItsEnd({ method });
    expectClean(wipe, method);
    expect(wipe.progress.at(-1)).toEqual([wipe.progress.at(-1)?.[1], wipe.record?.doneBytes]);
    expect(wipe.progress.map(([done]) => done)).toEqual(wipe.progress.map(([done]) => done).toSorted((a, b) => a - b));
  });

  it('lets the kernel write zeroes where the device offers that, by our descriptor', async () => {
    const wipe = new SimulatedWipe({ sizeBytes: 3 * GIB + 512, writeZeroesMaxBytes: MIB });
    wipe.fill([{ start: 3 * GIB, length: 512 }]);
    await wipe.toItsEnd({ method: 'zero-all' });
    expect(wipe.disk.isZero()).toBe(true);
    expect(verbs(wipe)).not.toContain('device.write');
    const ranges = wipe.machine.journal
      .filter(({ verb }) => verb === 'exec')
      .map(({ argv }) => argv?.slice(1).join(' '));
    const range = (start: number, length: number) =>
      `--force --zeroout --offset ${start} --length ${length} /proc/self/fd/3`;
    expect(ranges).toEqual([range(0, GIB), range(GIB, GIB), range(2 * GIB, GIB), range(3 * GIB, 512)]);
  });

  it.each([
    ['says that it is not supported after all', 'Operation not supported'],
    ['has no program for it', undefined],
  ])('goes on by writing when the kernel %s', async (_, stderr) => {
    const wipe = new SimulatedWipe({ sizeBytes: 9 * MIB, writeZeroesMaxBytes: MIB });
    wipe.fill();
    if (stderr)
      wipe.machine.install('blkdiscard', () => ({ code: 1, stderr: `blkdiscard: BLKZEROOUT ioctl failed: ${stderr}` }));
    else wipe.machine.programs.delete('blkdiscard');
    await wipe.toItsEnd({ method: 'zero-all' });
    expect(wipe.disk.isZero()).toBe(true);
    expect(verbs(wipe)).toContain('device.write');
  });

  it('goes on by writing from where the kernel stopped offering it', async () => {
    const wipe = new SimulatedWipe({ sizeBytes: 2 * GIB, writeZeroesMaxBytes: MIB });
    wipe.fill([GIB - MIB, GIB, 2 * GIB - MIB].map((start) => ({ start, length: MIB })));
    const zeroOut = wipe.machine.programs.get('blkdiscard');
    wipe.machine.install('blkdiscard', (call) =>
      call.args.includes('0') && zeroOut ? zeroOut.run(call) : { code: 1, stderr: 'Operation not supported' },
    );
    await wipe.toItsEnd({ method: 'zero-all' });
    expect(wipe.disk.isZero()).toBe(true);
    const written = wipe.machine.journal.flatMap(({ verb, position }) => (verb === 'device.write' ? [position] : []));
    expect(Math.min(...written.map((position) => position ?? 0))).toBe(GIB);
  });

  it.each<[string, Partial<ConstructorParameters<typeof SimulatedWipe>[0]>, string | undefined]>([
    ['the device has none', {}, undefined],
    ['the kernel says so', { discardMaxBytes: GIB }, 'BLKDISCARD ioctl failed: Operation not supported'],
  ])('by discard is refused, with nothing written, when %s', async (_, facts, stderr) => {
    const wipe = new SimulatedWipe({ sizeBytes: 9 * MIB, ...facts });
    wipe.fill();
    if (stderr) wipe.machine.install('blkdiscard', () => ({ code: 1, stderr }), { changes: () => false });
    await expect(wipe.toItsEnd({ method: 'discard' })).rejects.toMatchObject({
      reason: 'refused',
      message: expect.stringMatching(/offers no discard, so another method/),
    });
    expect(wipe.isFilled(0, 9 * MIB)).toBe(true);
  });

  it.each([
    ['Input/output error', 'io'],
    ['No space left on device', 'out-of-range'],
    ['offset is greater than device size', 'out-of-range'],
    ['something new', 'failed'],
  ])('tells what the kernel said: %s', async (words, reason) => {
    const wipe = new SimulatedWipe({ sizeBytes: MIB, writeZeroesMaxBytes: MIB });
    wipe.machine.install('blkdiscard', () => ({ code: 1, stderr: `blkdiscard: /proc/self/fd/3: ${words}\n` }));
    const failure = { name: 'DeviceError', reason, path: '/dev/sdb' };
    await expect(wipe.toItsEnd({ method: 'zero-all' })).rejects.toMatchObject(failure);
  });

  it.each(WIPE_METHODS)('by %s of a device that changes its size meanwhile fails', async (method) => {
    for (const sizeBytes of [8 * MIB, 64 * MIB]) {
      const wipe = aWipe(method, 16 * MIB);
      wipe.machine.faults.when(({ verb }) => verb === 'device.sync', { kind: 'delay', ms: 60_000 }, Infinity);
      const ended = wipe.wipe({ method });
      ended.catch(() => {});
      await wipe.clock.advance(1_000);
      wipe.disk.described = { ...wipe.disk.described, sizeBytes };
      await expect(wipe.outcomeOf(ended)).rejects.toMatchObject({ name: 'DeviceError', reason: 'out-of-range' });
    }
  });
});

describe('the record of a wipe', () => {
  it('is there before the first byte is written', async () => {
    for (const method of WIPE_METHODS) {
      const wipe = aWipe(method, 9 * MIB);
      await wipe.toItsEnd({ method });
      expect(verbs(wipe)[0]).toBe('file.write');
    }
  });

  it('says only what was written before the last sync began, and no two syncs are under way at once', async () => {
    const wipe = new SimulatedWipe({ sizeBytes: 2 * MIB });
    wipe.syncMs = 3_000;
    const ended = wipe.wipe({ method: 'zero-all', bandwidth: 64 * KIB });
    for (let seconds = 0; seconds < 30; seconds++) {
      await wipe.clock.advance(1_000);
      const { calls } = wipe.machine;
      const lastRecord = calls.findLastIndex(({ verb }) => verb === 'file.write');
      const lastSync = calls.slice(0, lastRecord).findLastIndex(({ verb }) => verb === 'device.sync');
      const synced = calls.slice(0, lastSync + 1).filter(({ verb }) => verb === 'device.write');
      const bytes = synced.reduce((sum, { length = 0 }) => sum + length, 0);
      expect(wipe.record?.doneBytes).toBeLessThanOrEqual(bytes);
      if (seconds > 9) expect(wipe.record?.doneBytes).toBeGreaterThan(0);
    }
    await wipe.outcomeOf(ended);
    expect(wipe.syncsAtOnce).toBe(1);
  });

  it.each(WAYS)('of $name says how far it was, and never goes back', async (way) => {
    const wipe = aWipe(way.method, SMALL, way.facts);
    await wipe.toItsEnd(way);
    const done = wipe.records.map(({ doneBytes }) => doneBytes);
    expect(done.length).toBeGreaterThan(3);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    const reached = [0, ...wipe.progress.map(([doneBytes]) => doneBytes)];
    expect(reached).toEqual(expect.arrayContaining(done));
  });

  it('of another method, of a larger device, or without its seed, is not gone on with', async () => {
    const startedAt = '2025-01-01T00:00:00.000Z';
    for (const [record, method] of [
      [{ method: 'zero-all', startedAt, doneBytes: 9 * MIB }, 'zero-head'],
      [{ method: 'zero-all', startedAt, doneBytes: 9 * MIB + 512 }, 'zero-all'],
      [{ method: 'random-all', startedAt, doneBytes: 9 * MIB }, 'random-all'],
    ] as const) {
      const wipe = aWipe(method, 9 * MIB);
      wipe.machine.tree.write('/wipe.json', JSON.stringify(record));
      expect(await wipe.toItsEnd({ method })).toMatchObject({ seconds: 0 });
      expectClean(wipe, method);
    }
  });

  it('is gone on with: what is done is not written again', async () => {
    const wipe = aWipe('zero-all', 9 * MIB);
    wipe.disk.zero(0, 8 * MIB);
    wipe.machine.tree.write('/wipe.json', JSON.stringify(begun('zero-all', wipe.clock.now(), 8 * MIB + 100)));
    await wipe.toItsEnd({ method: 'zero-all' });
    const writes = wipe.machine.journal.filter(({ verb }) => verb === 'device.write');
    expect(writes.map(({ position, length }) => [position, length])).toEqual([[8 * MIB, MIB]]);
    expectClean(wipe, 'zero-all');
  });

  it('of a pass that is complete does not let it begin again behind the next one', async () => {
    const wipe = aWipe('discard', 9 * MIB + 512);
    wipe.machine.tree.write('/wipe.json', JSON.stringify(begun('discard', wipe.clock.now(), 9 * MIB + 512)));
    await wipe.toItsEnd({ method: 'discard' });
    expect(wipe.discarded).toEqual([]);
    expect(wipe.disk.isZero()).toBe(true);
  });
});

describe('the receipt of a wipe', () => {
  it('says how long it took, whatever the clock on the wall did meanwhile', async () => {
    const wipe = aWipe('zero-all', MIB);
    const ended = wipe.wipe({ method: 'zero-all', bandwidth: 64 * KIB });
    await wipe.clock.advance(3_000);
    wipe.clock.setNow(new Date('2020-01-01T00:00:00Z'));
    const { seconds, at } = await wipe.outcomeOf(ended);
    /** 64 pieces are written and 17 read, one each quarter of a second, the first at once. */
    expect(seconds).toBe(20);
    expect(at).toMatch(/^2020-01-01/);
  });

  it('of one that was stopped runs from the first beginning, and is never negative', async () => {
    const first = new Date('2026-01-01T00:00:00Z').getTime();
    for (const [now, seconds] of [
      [first + 7_200_000, 7200],
      [first - 7_200_000, 0],
    ] as const) {
      const wipe = aWipe('zero-all', 9 * MIB);
      wipe.disk.zero(0, 4 * MIB);
      wipe.machine.tree.write('/wipe.json', JSON.stringify(begun('zero-all', new Date(first), 4 * MIB)));
      wipe.clock.setNow(new Date(now));
      expect(await wipe.toItsEnd({ method: 'zero-all' })).toMatchObject({ seconds });
    }
  });
});

describe('what is read back', () => {
  it.each(WIPE_METHODS)('and is not as it was written by %s fails the wipe, which then begins anew', async (method) => {
    const wipe = aWipe(method, 9 * MIB + 512);
    const disk = wipe.disk;
    /** A disk that loses a write: the last block, which every sample has. */
    const write = disk.write.bind(disk);
    let isLosing = true;
    disk.write = (bytes, position) => write(isLosing ? bytes.subarray(0, bytes.length - 512) : bytes, position);
    await expect(wipe.toItsEnd({ method })).rejects.toMatchObject({ name: 'NotAsWritten' });
    expect(wipe.record?.doneBytes).toBe(0);
    isLosing = false;
    await wipe.toItsEnd({ method });
    expectClean(wipe, method);
  });

  it('is all of it, or a sample with the beginning and the end of each stretch', async () => {
    const size = GIB + HEAD;
    const reads = async (verification: Attempt['verification'] & string) => {
      const wipe = new SimulatedWipe({ sizeBytes: size, writeZeroesMaxBytes: MIB });
      await wipe.toItsEnd({ method: 'zero-head', verification });
      return wipe.machine.calls.flatMap(({ verb, position = 0, length = 0 }) =>
        verb === 'device.read' ? [[position, position + length] as const] : [],
      );
    };
    const sample = await reads('sample');
    expect(sample).toHaveLength(2 * 17);
    expect(sample.map(([start]) => start)).toEqual(expect.arrayContaining([0, GIB]));
    expect(sample.map(([, end]) => end)).toEqual(expect.arrayContaining([HEAD, size]));
    const all = await reads('all');
    expect(all.reduce((sum, [start, end]) => sum + end - start, 0)).toBe(2 * HEAD);
    expect(new Set(all.map(([start]) => start)).size).toBe(all.length);
  });

  it('finds one wrong byte anywhere when all of it is read', async () => {
    const size = 3 * MIB + 512;
    const place = fc.nat(size - 1);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('zero-all', 'random-all'), place, async (method, position) => {
        const wipe = aWipe(method, size);
        wipe.machine.faults.when(({ verb }) => verb === 'device.read', { kind: 'delay', ms: 1_000 }, Infinity);
        const ended = wipe.wipe({ method, verification: 'all' });
        ended.catch(() => {});
        /** Everything is written, and nothing is read yet. */
        await wipe.clock.advance(1);
        const byte = Buffer.alloc(1);
        wipe.disk.read(byte, position);
        wipe.disk.write(Buffer.from([(byte[0] ?? 0) ^ 1]), position);
        await expect(wipe.outcomeOf(ended)).rejects.toThrow(`the byte at ${position} of /dev/sdb`);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a wipe that is aborted', () => {
  it.each(WIPE_METHODS)('by %s writes nothing any more, and ends with the reason', async (method) => {
    const wipe = aWipe(method, method === 'discard' ? 3 * GIB : 2 * MIB);
    wipe.installBlkdiscard(10_000);
    const stop = new AbortController();
    const ended = wipe.wipe({ method, bandwidth: 64 * KIB, signal: stop.signal });
    ended.catch(() => {});
    await wipe.clock.advance(3_000);
    stop.abort(new Error('the node shuts down'));
    await expect(ended).rejects.toThrow('the node shuts down');
    const before = wipe.machine.journal.length;
    await wipe.clock.advance(60_000);
    expect(wipe.machine.journal.length).toBe(before);
    expect(wipe.machine.running.size).toBe(0);
    expect(wipe.clock.pending).toBe(0);
  });
});

const begun = (method: WipeMethod, startedAt: Date, doneBytes: number) => ({
  method,
  startedAt: startedAt.toISOString(),
  doneBytes,
});

const verbs = (wipe: SimulatedWipe) => wipe.machine.journal.map(({ verb }) => verb);
