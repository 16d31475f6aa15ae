/** Puts directories on the disk. Who asks while that is under way shares the next time with all who do. */
import { close, fsync, open } from 'node:fs';
import { promisify } from 'node:util';
import { sharedLook } from '../kit/shared-look.ts';

const [openAsync, fsyncAsync, closeAsync] = [promisify(open), promisify(fsync), promisify(close)];

/** Each directory is opened once: of a small blob, opening and closing it each time would be a fifth of all that is done. */
export class GatheredFsync implements AsyncDisposable {
  readonly #directories = new Map<string, () => Promise<void>>();
  readonly #open = new Map<string, Promise<number>>();

  /** Resolves when all that was changed in the directory before this call is on the disk. */
  sync(path: string): Promise<void> {
    let look = this.#directories.get(path);
    if (!look) {
      look = sharedLook(async () => fsyncAsync(await this.#opened(path)));
      this.#directories.set(path, look);
    }
    return look();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const directory of open) await closeAsync(await directory);
  }

  #opened(path: string): Promise<number> {
    const known = this.#open.get(path);
    if (known) return known;
    const opening = openAsync(path, 'r');
    this.#open.set(path, opening);
    opening.catch(() => this.#open.delete(path)); // the next one who needs it tries again
    return opening;
  }
}
