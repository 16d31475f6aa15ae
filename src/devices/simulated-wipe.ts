/** A simulated machine with one disk that is wiped, its record kept in a file of that machine. For tests. */
import { sleep } from '../kit/clock/clock.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { DiskDescription, SimulatedDisk } from '../kit/host/simulated/disk.ts';
import type { SimulatedHost } from '../kit/host/simulated/host.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import type { Extent } from '../kit/wipe/course.ts';
import { keystream } from '../kit/wipe/keystream.ts';
import type { Verification, WipeMethod } from './contract.ts';
import type { Receipt, WipeRecord } from './ledger/entry.ts';
import { wipeHeld } from './wiping.ts';

export interface Attempt {
  readonly method: WipeMethod;
  readonly verification?: Verification;
  readonly bandwidth?: number;
  readonly signal?: AbortSignal;
}

const RECORD = '/wipe.json';
const CHUNK_BYTES = 2 ** 20;

export class SimulatedWipe {
  readonly clock = new VirtualClock();
  readonly machine = new SimulatedMachine(this.clock);
  readonly disk: SimulatedDisk;
  /** What the disk was told to discard. It keeps the content, as a disk may. */
  readonly discarded: Extent[] = [];
  readonly progress: (readonly [number, number])[] = [];
  /** The records of all attempts, as far as they came to the disk. */
  readonly records: WipeRecord[] = [];
  /** How long the answer of a sync takes, which says nothing of what was written meanwhile. */
  syncMs = 0;
  /** The most syncs that were waited for at the same time. */
  syncsAtOnce = 0;

  constructor(description: Omit<DiskDescription, 'name'>) {
    this.disk = this.machine.addDisk({ name: 'sdb', ...description });
    this.installBlkdiscard(0);
  }

  /** A disk that takes this long for each piece that the kernel is told of. Beyond its end it does nothing and says nothing. */
  installBlkdiscard(tookMs: number): void {
    this.machine.install('blkdiscard', async ({ args, inherited, signal }) => {
      const [device] = inherited;
      const [start, length] = [numberAfter(args, '--offset'), numberAfter(args, '--length')];
      if (!device || args.at(-1) !== '/proc/self/fd/3') return { code: 1, stderr: 'blkdiscard: cannot open' };
      if (tookMs > 0) await sleep(this.clock, tookMs, signal);
      const within = Math.max(0, Math.min(length, device.disk.sizeBytes - start));
      if (args.includes('--zeroout')) device.disk.zero(start, within);
      else this.discarded.push({ start, length: within });
      return {};
    });
  }

  /** Writes something everywhere, or at these places. */
  fill(places: readonly Extent[] = [{ start: 0, length: this.disk.sizeBytes }]): void {
    for (const { start, length } of places)
      for (let offset = 0; offset < length; offset += CHUNK_BYTES)
        this.disk.write(Buffer.alloc(Math.min(CHUNK_BYTES, length - offset), 0xda), start + offset);
    this.disk.content.sync();
  }

  /** As a process that was just started does it: from what the record says. */
  async wipe(attempt: Attempt, host: SimulatedHost = this.machine.host()): Promise<Receipt> {
    const { method, verification = 'sample', bandwidth, signal = new AbortController().signal } = attempt;
    const path = '/dev/sdb';
    await using device = await host.devices.open(path, { access: 'read-write', exclusive: true, direct: true });
    const facts = await device.facts();
    this.#slowDown(device);
    return await wipeHeld(
      device,
      { facts, path },
      { wipeMethod: method, wipeVerify: verification },
      this.record,
      {
        commands: host,
        clock: this.clock,
        bandwidth,
        record: async (record) => {
          await host.files.writeAtomic(RECORD, JSON.stringify(record));
          this.records.push(record);
        },
        progress: (done, of) => this.progress.push([done, of]),
      },
      signal,
    );
  }

  #slowDown(device: OpenDevice): void {
    const sync = device.sync.bind(device);
    let waiting = 0;
    device.sync = async () => {
      this.syncsAtOnce = Math.max(this.syncsAtOnce, ++waiting);
      await sync();
      if (this.syncMs > 0) await sleep(this.clock, this.syncMs);
      waiting -= 1;
    };
  }

  /** Runs until it has ended, or the process has been killed, however long that takes. */
  async toItsEnd(attempt: Attempt): Promise<Receipt | 'killed'> {
    const host = this.machine.host();
    const ended = Promise.race([this.wipe(attempt, host), host.process.died.then(() => 'killed' as const)]);
    return this.outcomeOf(ended);
  }

  async outcomeOf<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    promise.then(over, over);
    for (let step = 0; !isOver; step++) {
      if (step > 100_000) throw new Error('it does not end');
      await this.clock.advance(1_000);
    }
    return promise;
  }

  get record(): WipeRecord | undefined {
    const { tree } = this.machine;
    try {
      return JSON.parse(Buffer.from(tree.read(RECORD)).toString()) as WipeRecord;
    } catch {
      return undefined;
    }
  }

  /** Whether the range holds exactly what the seed makes there. */
  isKeystream(seed: string, start = 0, length = this.disk.sizeBytes): boolean {
    const fill = keystream(seed);
    for (let offset = 0; offset < length; offset += CHUNK_BYTES) {
      const expected = Buffer.alloc(Math.min(CHUNK_BYTES, length - offset));
      const found = Buffer.alloc(expected.length);
      fill(expected, start + offset);
      this.disk.read(found, start + offset);
      if (!found.equals(expected)) return false;
    }
    return true;
  }

  /** Whether what was there before still is. */
  isFilled(start: number, length: number): boolean {
    const found = Buffer.alloc(length);
    this.disk.read(found, start);
    return found.equals(Buffer.alloc(length, 0xda));
  }

  /** Whether every byte was discarded at least once. */
  get isDiscarded(): boolean {
    let reached = 0;
    for (const { start, length } of this.discarded.toSorted((a, b) => a.start - b.start))
      if (start <= reached) reached = Math.max(reached, start + length);
    return reached === this.disk.sizeBytes;
  }
}

function numberAfter(args: readonly string[], option: string): number {
  return Number(args[args.indexOf(option) + 1]);
}
