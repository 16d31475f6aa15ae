/** How the pieces of a wipe come to the device: by the kernel where it can do that by itself, else written past its page cache. */
import { alignedBuffer } from '../host/aligned-buffer.ts';
import type { DeviceFacts, OpenDevice } from '../host/block-device.ts';
import type { Commands } from '../host/command.ts';
import { BUFFER_BYTES, buffersOf } from './buffers.ts';
import type { Extent, Pass } from './course.ts';
import { byKernel, type KernelOrder } from './kernel.ts';
import { keystream } from './keystream.ts';

export interface Writer {
  readonly pieceBytes: number;
  /** How many pieces it is given at the same time. */
  readonly inFlight: number;
  /** Whether bytes go to the device, so that a limit on them has a meaning. */
  readonly isPaced: boolean;
  write(piece: Extent, signal: AbortSignal): Promise<void>;
}

export interface WriterParts {
  readonly device: OpenDevice;
  readonly facts: DeviceFacts;
  readonly commands: Commands;
  readonly seed?: string | undefined;
}

const MIB = 2 ** 20;
/** So many that the device always has the next one when it is done with one. */
export const IN_FLIGHT = 4;
/** Half of the buffers that all wipes share: a device that hangs must not have all of them. */
const RANDOM_IN_FLIGHT = 4;
/** All zeroes are written from the same memory, so these can be large. */
const ZERO_PIECE_BYTES = 4 * MIB;
/** The kernel is told in pieces, so that it can be stopped, and progress be seen. */
const KERNEL_PIECE_BYTES = 1024 * MIB;

/** The best first. The next one is for when the kernel offers less than it said. */
export function writersFor(does: Pass['does'], parts: WriterParts): readonly Writer[] {
  const { device, facts, commands } = parts;
  switch (does) {
    case 'discard':
      return facts.discardMaxBytes > 0 ? [kernelWriter({ does, device, commands })] : [];
    case 'zero':
      return [...(facts.writeZeroesMaxBytes > 0 ? [kernelWriter({ does, device, commands })] : []), zeroWriter(device)];
    case 'randomise':
      return [randomWriter(parts)];
  }
}

const kernelWriter = (order: Omit<KernelOrder, 'signal'>): Writer => ({
  pieceBytes: KERNEL_PIECE_BYTES,
  inFlight: 1,
  isPaced: order.does === 'zero',
  write: (piece, signal) => byKernel(piece, { ...order, signal }),
});

let zeroes: Buffer | undefined;

function zeroWriter(device: OpenDevice): Writer {
  zeroes ??= alignedBuffer(ZERO_PIECE_BYTES);
  const source = zeroes;
  return {
    pieceBytes: ZERO_PIECE_BYTES,
    inFlight: IN_FLIGHT,
    isPaced: true,
    write: ({ start, length }) => device.write(source.subarray(0, length), start),
  };
}

function randomWriter({ device, commands, seed = '' }: WriterParts): Writer {
  const buffers = buffersOf(commands);
  const fill = keystream(seed);
  return {
    pieceBytes: BUFFER_BYTES,
    inFlight: RANDOM_IN_FLIGHT,
    isPaced: true,
    write: ({ start, length }, signal) =>
      buffers.lend(signal, (buffer) => {
        const bytes = buffer.subarray(0, length);
        fill(bytes, start);
        return device.write(bytes, start);
      }),
  };
}
