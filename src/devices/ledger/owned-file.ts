/**
 * A file that one process writes as a whole from what it has in memory. Where another one has written it meanwhile, this one knows less
 * than is there, and must not write any more.
 */
import type { Files } from '../../kit/host/files.ts';

/** Two agents of a node are there when one is deleted by force, or a rolling update starts the new one first. */
class UsedByAnother extends Error {
  override readonly name = 'UsedByAnother';

  constructor(path: string) {
    super(
      `another agent uses the directory of ${path}: it has written that file since this one did, which writes no more`,
    );
  }
}

export class OwnedFile {
  readonly #path: string;
  readonly #files: Pick<Files, 'readText' | 'writeAtomic'>;
  readonly #maxBytes: number;
  readonly #taken = new AbortController();
  /** What may be there by our own doing: several, when a write has failed, which may have happened all the same. */
  readonly #left = new Set<string | undefined>();

  constructor(path: string, files: Pick<Files, 'readText' | 'writeAtomic'>, maxBytes: number) {
    this.#path = path;
    this.#files = files;
    this.#maxBytes = maxBytes;
  }

  /** Aborted with `UsedByAnother` as soon as that is known. */
  get taken(): AbortSignal {
    return this.#taken.signal;
  }

  async read(): Promise<string | undefined> {
    const text = await this.#files.readText(this.#path, { maxBytes: this.#maxBytes });
    this.#left.add(text);
    return text;
  }

  /**
   * There is no lock to be had: another one that writes between our look and our rename is overwritten. That is moments, and it notices
   * by its next write.
   */
  async write(text: string): Promise<void> {
    await this.#check();
    this.#left.add(text);
    await this.#files.writeAtomic(this.#path, text, { mode: 0o600 });
    this.#left.clear();
    this.#left.add(text);
  }

  /** A file that is gone holds nothing that could be lost. */
  async #check(): Promise<void> {
    this.taken.throwIfAborted();
    const now = await this.#files.readText(this.#path, { maxBytes: this.#maxBytes });
    if (now !== undefined && !this.#left.has(now)) this.#taken.abort(new UsedByAnother(this.#path));
    this.taken.throwIfAborted();
  }
}
