/**
 * Notices that entries come and go in a directory and below it. One watch of the kernel per directory, and one on the parent, so that
 * the directory itself may come, go and be replaced; before every notice the watches are brought in line with what is there now.
 */
import { type FSWatcher, watch as kernelWatch } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Cancel, Clock } from '../clock/clock.ts';
import { DEFAULT_DEBOUNCE_MS, type Watch } from './files.ts';

/** How soon to try again when there is nothing to watch yet, or the kernel has no watch left to give. */
export const REWATCH_MS = 10_000;
/** A tree with more directories is watched in part. */
const MAX_DIRECTORIES = 256;

export async function watchDirectory(
  clock: Clock,
  directory: string,
  onChange: () => void,
  debounceMs = DEFAULT_DEBOUNCE_MS,
): Promise<Watch> {
  const watch = new DirectoryWatch(clock, directory, onChange, debounceMs);
  await watch.align();
  return watch;
}

interface Attached {
  /** Which directory the path was when the watch was set: another one under the same path needs another watch. */
  readonly identity: string;
  readonly watcher: FSWatcher;
}

class DirectoryWatch implements Watch {
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #onChange: () => void;
  readonly #debounceMs: number;
  readonly #attached = new Map<string, Attached>();
  #aligning: Promise<void> = Promise.resolve();
  #notice: Cancel | undefined;
  #retry: Cancel | undefined;
  #closed = false;

  constructor(clock: Clock, directory: string, onChange: () => void, debounceMs: number) {
    this.#clock = clock;
    this.#directory = directory;
    this.#onChange = onChange;
    this.#debounceMs = debounceMs;
  }

  /** Brings the watches in line with the directories that are there now, one run after another. */
  align(): Promise<void> {
    this.#aligning = this.#aligning.then(() => this.#align());
    return this.#aligning;
  }

  close(): void {
    this.#closed = true;
    this.#notice?.();
    this.#retry?.();
    for (const path of [...this.#attached.keys()]) this.#detach(path);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The parent first: if the directory is replaced while this runs, the parent's watch tells, and this runs again. */
  async #align(): Promise<void> {
    const parent = dirname(this.#directory);
    const wanted = new Set([parent]);
    await this.#attach(parent, (name) => name === null || name === basename(this.#directory));
    for await (const path of directoriesFrom(this.#directory)) {
      if (wanted.size > MAX_DIRECTORIES) break;
      wanted.add(path);
      await this.#attach(path, () => true);
    }
    for (const path of [...this.#attached.keys()]) if (!wanted.has(path)) this.#detach(path);
    if (!this.#attached.has(parent) || (await this.#dangles())) this.#tryAgainLater();
  }

  /** A link to nothing: what it leads to will come back in another directory than the parent, of which we hear nothing. */
  async #dangles(): Promise<boolean> {
    if (this.#attached.has(this.#directory)) return false;
    return (await lstat(this.#directory).catch(() => undefined))?.isSymbolicLink() ?? false;
  }

  async #attach(path: string, concerns: (name: string | null) => boolean): Promise<void> {
    const identity = await identityOf(path);
    if (this.#closed || (identity !== undefined && this.#attached.get(path)?.identity === identity)) return;
    this.#detach(path);
    if (identity === undefined) return;
    try {
      const watcher = kernelWatch(path, (event, name) => {
        if (event !== 'rename') return;
        const ended = name === basename(path); // the directory itself went, or, which does no harm, an entry of its name
        if (ended) this.#detach(path);
        if (ended || concerns(name)) this.#changed();
      });
      watcher.on('error', () => this.#lost(path));
      this.#attached.set(path, { identity, watcher });
    } catch {
      this.#tryAgainLater();
    }
  }

  #changed(): void {
    if (this.#closed || this.#notice) return;
    this.#notice = this.#clock.after(this.#debounceMs, async () => {
      this.#notice = undefined;
      await this.align();
      if (!this.#closed) this.#onChange();
    });
  }

  #lost(path: string): void {
    this.#detach(path);
    this.#tryAgainLater();
  }

  #detach(path: string): void {
    this.#attached.get(path)?.watcher.close();
    this.#attached.delete(path);
  }

  /** What happened before a new watch was set has been missed, so setting one counts as a change. */
  #tryAgainLater(): void {
    if (this.#closed || this.#retry) return;
    this.#retry = this.#clock.after(REWATCH_MS, async () => {
      this.#retry = undefined;
      const before = this.#attached.size;
      await this.align();
      if (this.#attached.size > before) this.#changed();
    });
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
}

async function* directoriesFrom(path: string): AsyncGenerator<string> {
  yield path;
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) yield* directoriesFrom(join(path, entry.name));
}
