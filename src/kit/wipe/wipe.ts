/** Wipes a device by its open descriptor. Can be cut off at any moment, and goes on where it was last known to be. */
import type { Clock } from '../clock/clock.ts';
import type { DeviceFacts, OpenDevice } from '../host/block-device.ts';
import type { Commands } from '../host/command.ts';
import { DeviceError } from '../host/device-error.ts';
import { ALIGNMENT_BYTES, bytesOf, lengthOf, type Pass, piecesOf } from './course.ts';
import { inParallel } from './in-parallel.ts';
import { NotOffered } from './kernel.ts';
import type { Pace } from './pace.ts';
import { Sweep } from './sweep.ts';
import { type Writer, writersFor } from './writers.ts';

export interface WipeOrder {
  /** Opened for direct writes, by us alone. */
  readonly device: OpenDevice;
  /** As they were when it was decided what to wipe. */
  readonly facts: DeviceFacts;
  readonly course: readonly Pass[];
  /** For what is to look random. */
  readonly seed?: string | undefined;
  /** How many bytes of the course are known to be on the device. */
  readonly from: number;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Told after each piece: how many bytes are written. */
  readonly progress: (doneBytes: number) => void;
  /** Told now and then: how many bytes are on the device, whatever happens to the machine. Never told of two at the same time. */
  readonly checkpoint: (doneBytes: number) => Promise<void>;
}

export interface WipeParts {
  readonly clock: Clock;
  readonly commands: Commands;
}

/** What was written since is written again after a crash. */
const CHECKPOINT_MS = 5_000;

/** Resolves when all of it is on the device. After it has ended, in whichever way, nothing is written any more. */
export async function wipe(order: WipeOrder, parts: WipeParts): Promise<void> {
  let passed = 0;
  for (const pass of order.course) {
    const end = passed + bytesOf(pass);
    if (order.from < end) await sweep({ pass, passed, order, parts });
    passed = end;
  }
  await order.checkpoint(lengthOf(order.course));
}

/** One pass, and how many bytes of the course come before it. */
interface Stretch {
  readonly pass: Pass;
  readonly passed: number;
  readonly order: WipeOrder;
  readonly parts: WipeParts;
}

async function sweep(stretch: Stretch): Promise<void> {
  const { pass, passed, order, parts } = stretch;
  const { device, facts } = order;
  const reached = Math.max(0, order.from - passed);
  let from = reached - (reached % ALIGNMENT_BYTES);
  for (const writer of writersFor(pass.does, { ...order, ...parts })) {
    const end = await sweepWith(writer, from, stretch);
    if (end === 'complete') return sizeIsStill(facts.sizeBytes, device);
    from = end.reached;
  }
  throw new DeviceError(pass.does, device.path, 'refused', NO_WAY[pass.does]);
}

const NO_WAY: Record<Pass['does'], string> = {
  discard: 'the device, or the kernel for it, offers no discard, so another method has to be chosen for it',
  zero: 'nothing can write to it',
  randomise: 'nothing can write to it',
};

/** Resolves with how far it came when the writer turned out not to be offered. */
async function sweepWith(
  writer: Writer,
  from: number,
  { pass, passed, order, parts: { clock } }: Stretch,
): Promise<'complete' | { readonly reached: number }> {
  const { device, pace, signal } = order;
  const done = new Sweep(from);
  const pieces = piecesOf(pass, from, writer.isPaced ? pace.most(writer.pieceBytes) : writer.pieceBytes);
  const checkpoint = new Checkpoints(clock, () => done.doneBytes + passed, order);
  try {
    await inParallel(writer.inFlight, pieces, signal, async (piece, either) => {
      done.begin(piece);
      if (writer.isPaced) await pace.turn(piece.length, either);
      await writer.write(piece, either);
      done.end(piece);
      order.progress(passed + done.doneBytes);
      await checkpoint.ifDue();
    });
  } catch (error) {
    if (error instanceof NotOffered) return { reached: done.doneBytes };
    throw error;
  }
  await device.sync();
  return 'complete';
}

class Checkpoints {
  readonly #clock: Clock;
  readonly #written: () => number;
  readonly #order: WipeOrder;
  #dueAt: number;

  constructor(clock: Clock, written: () => number, order: WipeOrder) {
    this.#clock = clock;
    this.#written = written;
    this.#order = order;
    this.#dueAt = clock.monotonic() + CHECKPOINT_MS;
  }

  async ifDue(): Promise<void> {
    if (this.#clock.monotonic() < this.#dueAt) return;
    this.#dueAt = Number.POSITIVE_INFINITY; // one at a time, however long it takes
    const written = this.#written();
    await this.#order.device.sync();
    await this.#order.checkpoint(written);
    this.#dueAt = this.#clock.monotonic() + CHECKPOINT_MS;
  }
}

/** A piece that the kernel was told of is cut off silently where the device ends, and what it grew by was never looked at. */
async function sizeIsStill(sizeBytes: number, device: OpenDevice): Promise<void> {
  const now = (await device.facts()).sizeBytes;
  if (now === sizeBytes) return;
  throw new DeviceError('wipe all of', device.path, 'out-of-range', `it had ${sizeBytes} bytes and now has ${now}`);
}
