/** A volume that has room for more than the disk has, as long as what is written can be compressed. Making one takes root. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Place } from './place.ts';

const run = promisify(execFile);

export class RoomyVolume implements AsyncDisposable {
  readonly directory: string;
  /** Also when the benchmark fails. */
  readonly #unmount = () => void execFileSync('umount', ['--lazy', this.directory], { stdio: 'ignore' });

  private constructor(directory: string) {
    this.directory = directory;
    process.once('exit', this.#unmount);
  }

  /** The sentence says why there is none. */
  static async make(place: Place, sizeBytes: number): Promise<RoomyVolume | string> {
    const [image, directory] = [join(place.directory, 'image'), join(place.directory, 'roomy')];
    await using file = await open(image, 'wx');
    await file.truncate(sizeBytes);
    await mkdir(directory);
    try {
      await run('mkfs.btrfs', ['--metadata', 'single', image]);
      await run('mount', ['-o', 'loop,compress=zstd:1,nodiscard', image, directory]);
      return new RoomyVolume(directory);
    } catch (error) {
      return `a filesystem that compresses cannot be made here: ${error instanceof Error ? error.message : error}`;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#unmount);
    await run('umount', [this.directory]);
  }
}
