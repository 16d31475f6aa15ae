/** Real block devices for tests: loop devices over sparse files, taken down again whatever happens. Needs root and util-linux. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { realHost } from '../../src/kit/host/host.ts';

const host = realHost({ clock: systemClock });

export interface LoopDevice extends AsyncDisposable {
  readonly path: string;
  /** What is behind it: a file of its own, unless it was put on something. */
  readonly backing: string;
  /** A directory that goes with the device. */
  readonly directory: string;
  /** Run before the device is detached, the last one first. */
  readonly undo: AsyncDisposableStack;
}

/** All zeroes; takes room on the disk only where it is written. */
export async function aLoopDevice(sizeBytes: number): Promise<LoopDevice> {
  return aLoopDeviceOn(async (directory) => {
    const backing = join(directory, 'backing');
    await using file = await open(backing, 'w');
    await file.truncate(sizeBytes);
    return backing;
  });
}

/** A loop device on something that exists: a file, or another block device. */
export function aLoopDeviceOver(backing: string): Promise<LoopDevice> {
  return aLoopDeviceOn(async () => backing);
}

async function aLoopDeviceOn(prepare: (directory: string) => Promise<string>): Promise<LoopDevice> {
  await using setUp = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'loop-'));
  setUp.defer(() => rm(directory, { recursive: true }));
  const backing = await prepare(directory);
  const path = (await host.exec(['losetup', '--find', '--show', backing])).stdout.trim();
  setUp.defer(async () => void (await host.exec(['losetup', '--detach', path])));
  const undo = setUp.use(new AsyncDisposableStack());
  const stack = setUp.move();
  return { path, backing, directory, undo, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
