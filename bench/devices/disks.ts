/**
 * Loop devices to be wiped. What is behind them is a file without a name, and they go when this process does, however it ends: the
 * kernel detaches each when its last opener is gone, and then frees the room of the file.
 */
import { execFile } from 'node:child_process';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export class Disks implements AsyncDisposable {
  readonly paths: readonly string[];
  readonly sizeBytes: number;
  readonly #backings: readonly FileHandle[];
  readonly #open: AsyncDisposableStack;

  private constructor(
    paths: readonly string[],
    sizeBytes: number,
    backings: readonly FileHandle[],
    open: AsyncDisposableStack,
  ) {
    this.paths = paths;
    this.sizeBytes = sizeBytes;
    this.#backings = backings;
    this.#open = open;
  }

  /** Reads and writes of them go past the page cache of what is behind them as well. */
  static async make(count: number, sizeBytes: number): Promise<Disks> {
    await using setUp = new AsyncDisposableStack();
    const made = [];
    for (let index = 0; index < count; index++) made.push(await aDisk(sizeBytes, setUp));
    const paths = made.map(({ path }) => path);
    return new Disks(
      paths,
      sizeBytes,
      made.map(({ backing }) => backing),
      setUp.move(),
    );
  }

  /** Every block behind them is there and has been written, so that the filesystem has nothing to do when it is written again. */
  async fill(): Promise<void> {
    await this.allocate();
    for (const path of this.paths)
      await run('dd', ['if=/dev/zero', `of=${path}`, 'bs=4M', 'oflag=direct', `count=${this.sizeBytes / 2 ** 22}`]);
  }

  /** Every block behind them is there, which a discard gives away. */
  async allocate(): Promise<void> {
    for (const { fd } of this.#backings)
      await run('fallocate', ['--length', `${this.sizeBytes}`, `/proc/${process.pid}/fd/${fd}`]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open.disposeAsync();
  }
}

/** With a directory for whatever else is needed meanwhile. */
export async function withDisks<T>(
  count: number,
  sizeBytes: number,
  work: (disks: Disks, directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  try {
    await using disks = await Disks.make(count, sizeBytes);
    return await work(disks, directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function aDisk(sizeBytes: number, setUp: AsyncDisposableStack) {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  try {
    const file = join(directory, 'disk');
    const backing = setUp.use(await open(file, 'wx+'));
    await backing.truncate(sizeBytes);
    const { stdout } = await run('losetup', ['--find', '--show', '--direct-io=on', file]);
    const path = stdout.trim();
    try {
      setUp.use(await open(path, 'r'));
    } finally {
      await run('losetup', ['--detach', path]);
    }
    return { path, backing };
  } finally {
    await rm(directory, { recursive: true });
  }
}
