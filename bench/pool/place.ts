/** A directory of the benchmarks' own on a real disk: what is fsynced into memory costs nothing, and would say nothing. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** As the kernel numbers them: tmpfs and ramfs. */
const IN_MEMORY = [0x01021994, 0x858458f6];
const CANDIDATES = [tmpdir(), '/var/tmp', join(import.meta.dirname, '../..')];

export class Place implements AsyncDisposable {
  readonly directory: string;
  /** A benchmark that fails or is interrupted leaves nothing behind, either. */
  readonly #clear = () => rmSync(this.directory, { recursive: true, force: true });
  readonly #interrupted = () => process.exit(130);

  private constructor(directory: string) {
    this.directory = directory;
    process.once('exit', this.#clear);
    process.once('SIGINT', this.#interrupted);
    process.once('SIGTERM', this.#interrupted);
  }

  static async make(): Promise<Place> {
    return new Place(await mkdtemp(join(await onDisk(), 'holdfast-bench-')));
  }

  /** Resolves when nothing waits to be written any more: nobody is to pay for what the one before has left to do. */
  async settle(): Promise<void> {
    await promisify(execFile)('sync', ['--file-system', this.directory]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#clear);
    process.off('SIGINT', this.#interrupted);
    process.off('SIGTERM', this.#interrupted);
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function onDisk(): Promise<string> {
  for (const candidate of CANDIDATES) {
    if (!IN_MEMORY.includes((await statfs(candidate)).type)) return candidate;
  }
  throw new Error(`none of ${CANDIDATES.join(', ')} is on a disk: set TMPDIR to a directory that is`);
}
