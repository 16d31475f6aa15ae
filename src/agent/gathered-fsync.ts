/** Puts directories on the disk. Who asks while that is under way shares the next time with all who do. */
import { close, fsync, open } from 'node:fs';
import { promisify } from 'node:util';
import { sharedLook } from '../kit/shared-look.ts';

const [openAsync, fsyncAsync, closeAsync] = [promisify(open), promisify(fsync), promisify(close)];

/** Each directory is opened once: of a small blob, opening and closing it each time would be a fifth of all that is done. */
export class GatheredFsync implements AsyncDisposable {
  readonly #fsync: (descriptor: number) => Promise<void>;
  readonly #directories = new Map<string, () => Promise<void>>();
  readonly #open = new Map<string, Promise<number>>();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Linux tells an error once: the next fsync succeeds, and what was lost stays lost. So the first error is the answer from then on. */
  readonly #failed = new Map<string, unknown>();
  #isClosed = false;

  constructor(fsync: (descriptor: number) => Promise<void> = fsyncAsync) {
    this.#fsync = fsync;
  }

  /** Resolves when all that was changed in the directory before this call is on the disk. Once that has failed it always does. */
  sync(path: string): Promise<void> {
    let look = this.#directories.get(path);
    if (!look) {
      look = sharedLook(() => this.#look(path));
      this.#directories.set(path, look);
    }
    return look();
  }

  /** A descriptor that is closed may be another file's a moment later: what is under way ends first, and nothing begins after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay.values());
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(open.map(async (directory) => closeAsync(await directory)));
  }

  async #look(path: string): Promise<void> {
    if (this.#isClosed) throw new Error(`${path} cannot be put on the disk any more: the store is closed`);
    const looking = this.#syncOrFail(path);
    this.#underWay.set(path, looking);
    await looking.finally(() => this.#underWay.delete(path));
  }

  async #syncOrFail(path: string): Promise<void> {
    if (this.#failed.has(path)) throw this.#failed.get(path);
    const descriptor = await this.#opened(path);
    try {
      await this.#fsync(descriptor);
    } catch (error) {
      this.#failed.set(path, error);
      throw error;
    }
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
