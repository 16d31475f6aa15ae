/** Wipes a device by its open descriptor. Can be cut off at any moment, and goes on where it was last known to be. */
import type { Clock } from '../../kit/clock/clock.ts';
import type { DeviceFacts, OpenDevice } from '../../kit/host/block-device.ts';
import type { Commands } from '../../kit/host/command.ts';
import { bytesOf, type Extent, lengthOf, type Pass, piecesOf } from './course.ts';
import { Pace } from './pace.ts';
import { Sweep } from './sweep.ts';
import { writerFor } from './writers.ts';

export interface WipeOrder {
  readonly device: OpenDevice;
  readonly facts: DeviceFacts;
  readonly course: readonly Pass[];
  /** For what is to look random. */
  readonly seed?: string | undefined;
  /** How many bytes of the course are known to be on the device. */
  readonly from: number;
  /** In bytes per second; without it, as fast as the device. */
  readonly bandwidth?: number | undefined;
  readonly signal: AbortSignal;
  /** Told after each piece: how many bytes are written. */
  readonly progress: (doneBytes: number) => void;
  /** Told now and then: how many bytes are on the device, whatever happens to the machine. */
  readonly checkpoint: (doneBytes: number) => Promise<void>;
}

export interface WipeParts {
  readonly clock: Clock;
  readonly commands: Commands;
}

/** What was written since is written again after a crash. */
const CHECKPOINT_MS = 5_000;

/** Resolves when all of it is on the device. */
export async function wipe(order: WipeOrder, parts: WipeParts): Promise<void> {
  const pace = new Pace(order.bandwidth, parts.clock);
  let passed = 0;
  for (const pass of order.course) {
    await sweep(pass, passed, order, parts, pace);
    passed += bytesOf(pass.extents);
  }
  await order.checkpoint(lengthOf(order.course));
}

async function sweep(pass: Pass, passed: number, order: WipeOrder, { clock, commands }: WipeParts, pace: Pace) {
  const { device, signal, progress, checkpoint } = order;
  const writer = writerFor(pass.does, { ...order, commands });
  const from = Math.max(order.from, passed);
  const course = new Sweep(from);
  const pieces = piecesOf(pass, from - passed, pace.most(writer.pieceBytes));
  let checkedAt = clock.monotonic();
  await inParallel(writer.inFlight, pieces, async (piece) => {
    await pace.turn(piece.length, signal);
    await course.write(piece, writer.write);
    progress(course.doneBytes);
    if (clock.monotonic() - checkedAt < CHECKPOINT_MS) return;
    checkedAt = clock.monotonic();
    const { doneBytes } = course;
    await device.sync();
    await checkpoint(doneBytes);
  });
  await device.sync();
}

/** When one fails, no further piece is begun, and those under way are waited for: nothing is written after this has ended. */
async function inParallel(workers: number, pieces: Generator<Extent>, work: (piece: Extent) => Promise<void>) {
  const worker = async () => {
    for (const piece of pieces) await work(piece);
  };
  const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
