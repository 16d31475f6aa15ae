/** How the pieces of a wipe come to the device: by the kernel where it can do that by itself, else written past its page cache. */
import { alignedBuffer } from '../../kit/host/aligned-buffer.ts';
import type { DeviceFacts, OpenDevice } from '../../kit/host/block-device.ts';
import type { Commands } from '../../kit/host/command.ts';
import type { Extent, Pass } from './course.ts';
import { fillAt } from './keystream.ts';

export interface Writer {
  readonly pieceBytes: number;
  /** How many pieces it is given at the same time. */
  readonly inFlight: number;
  write(piece: Extent): Promise<void>;
}

const MIB = 2 ** 20;
/** Large enough that a disk is never waited for, small enough that a hundred of them are no burden. */
const DIRECT_PIECE_BYTES = 4 * MIB;
const DIRECT_IN_FLIGHT = 4;
/** The kernel is told in pieces, so that it can be stopped, and progress be seen. */
const KERNEL_PIECE_BYTES = 1024 * MIB;
/** A disk that writes a gigabyte of zeroes more slowly than this has failed. */
const KERNEL_PATIENCE_MS = 30 * 60_000;

const zeroes = lazily(() => alignedBuffer(DIRECT_PIECE_BYTES));

export interface WriterParts {
  readonly device: OpenDevice;
  readonly facts: DeviceFacts;
  readonly commands: Commands;
  readonly seed?: string | undefined;
  readonly signal: AbortSignal;
}

export function writerFor(does: Pass['does'], parts: WriterParts): Writer {
  const { facts, device } = parts;
  if (does === 'discard') return byTheKernel([], parts);
  if (does === 'zero' && facts.writeZeroesMaxBytes > 0) return byTheKernel(['--zeroout'], parts);
  if (does === 'zero') return direct(({ start, length }) => device.write(zeroes().subarray(0, length), start));
  return randomising(parts);
}

/** The program gets our descriptor and opens no other device, whatever the path leads to by now. */
function byTheKernel(how: readonly string[], { device, commands, signal }: WriterParts): Writer {
  return {
    pieceBytes: KERNEL_PIECE_BYTES,
    inFlight: 1,
    async write({ start, length }) {
      const range = ['--offset', `${start}`, '--length', `${length}`];
      const argv = ['blkdiscard', '--force', ...how, ...range, '/proc/self/fd/3'];
      await commands.exec(argv, { inheritFds: [device], timeoutMs: KERNEL_PATIENCE_MS, signal });
    },
  };
}

function randomising({ device, seed = '' }: WriterParts): Writer {
  const free = Array.from({ length: DIRECT_IN_FLIGHT }, lazilyAligned);
  return direct(async ({ start, length }) => {
    const buffer = free.pop();
    if (!buffer) throw new Error('more pieces are being written than there are buffers');
    try {
      const bytes = buffer().subarray(0, length);
      fillAt(seed, start, bytes, zeroes());
      await device.write(bytes, start);
    } finally {
      free.push(buffer);
    }
  });
}

const direct = (write: Writer['write']): Writer => ({
  pieceBytes: DIRECT_PIECE_BYTES,
  inFlight: DIRECT_IN_FLIGHT,
  write,
});

const lazilyAligned = () => lazily(() => alignedBuffer(DIRECT_PIECE_BYTES));

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
