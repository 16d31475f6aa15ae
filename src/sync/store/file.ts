/**
 * Objects as files in a directory, for tests, one machine, and places without a network: a key is a path. Writes are atomic and on the
 * disk when they resolve; conditions hold between all processes that have the directory mounted.
 */
import { stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Random } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import { orAborted } from '../../kit/clock/or-aborted.ts';
import { syncDirectory, writeAtomic } from '../../kit/host/atomic-write.ts';
import { isNothingThere } from '../../kit/host/file-error.ts';
import { DEFAULT_FILE_MODE } from '../../kit/host/files.ts';
import { Slots } from '../../kit/slots.ts';
import { type Attempt, failure } from './failure.ts';
import { makeDirectories, pathIsOurs } from './file-directories.ts';
import { fileFailure } from './file-failure.ts';
import { keyProblem, LOCK_FILE, pathOf } from './file-key.ts';
import { listFiles } from './file-list.ts';
import { etagOf, hashFile, openFile, readFile } from './file-read.ts';
import { conditionHolds } from './rules.ts';
import type { CallOptions, GetOptions, Got, Head, Listed, ObjectStore, PutOptions, Stored } from './store.ts';
import { withWriteLock } from './write-lock.ts';

export interface FileStoreOptions {
  /** It must be there: if it were made, one that is not mounted would look like an empty store. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
}

export class FileStore implements ObjectStore {
  readonly description: string;
  readonly #root: string;
  readonly #options: FileStoreOptions;
  readonly #turns = new Slots(1);

  constructor(options: FileStoreOptions) {
    this.#root = options.directory;
    this.#options = options;
    this.description = `the directory ${options.directory}`;
  }

  get(key: string, { signal, ifNoneMatch, most }: GetOptions): Promise<Got> {
    return this.#attempt('read', key, signal, async (attempt) => {
      await using file = await openFile(pathOf(this.#root, key));
      if (file === undefined) return { kind: 'missing' };
      const { size, mtime } = await file.stat();
      if (size > most) throw failure('tooLarge', attempt, `it has ${size} bytes, and ${most} are allowed`);
      const body = await readFile(file, size, signal);
      if (body.length < size) throw failure('incomplete', attempt, `it has ${body.length} of ${size} bytes`);
      const etag = etagOf(body);
      return etag === ifNoneMatch ? { kind: 'unchanged' } : { kind: 'found', body, etag, modifiedAt: mtime };
    });
  }

  head(key: string, { signal }: CallOptions): Promise<Head | undefined> {
    return this.#attempt('look at', key, signal, () => this.#look(key, signal));
  }

  put(key: string, body: Uint8Array, { signal, condition }: PutOptions): Promise<Stored> {
    return this.#attempt('write', key, signal, (attempt) =>
      this.#alone(signal, async () => {
        const etag = condition && (await this.#look(key, signal))?.etag;
        if (!conditionHolds(etag, condition)) throw failure('preconditionFailed', attempt, 'it is not what it was');
        signal.throwIfAborted();
        const path = pathOf(this.#root, key);
        await makeDirectories(dirname(path));
        await writeAtomic(path, body, DEFAULT_FILE_MODE, this.#options.random);
        return { etag: etagOf(body) };
      }),
    );
  }

  async *list(prefix: string, { signal }: CallOptions): AsyncGenerator<Listed> {
    const attempt = this.#describe('list', prefix);
    try {
      await orAborted(signal, this.#rootIsThere(attempt));
      for await (const listed of listFiles(this.#root, prefix)) {
        signal.throwIfAborted();
        yield listed;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw fileFailure(attempt, error);
    }
  }

  remove(key: string, { signal }: CallOptions): Promise<void> {
    return this.#attempt('remove', key, signal, () => this.#alone(signal, () => removeFile(pathOf(this.#root, key))));
  }

  async close(): Promise<void> {}

  async #attempt<T>(
    doing: Attempt['doing'],
    key: string,
    signal: AbortSignal,
    work: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const attempt = this.#describe(doing, key);
    const problem = keyProblem(key);
    if (problem !== undefined) throw failure('unsupported', attempt, problem);
    try {
      return await orAborted(signal, this.#safely(attempt, work));
    } catch (error) {
      signal.throwIfAborted();
      throw fileFailure(attempt, error);
    }
  }

  async #safely<T>(attempt: Attempt, work: (attempt: Attempt) => Promise<T>): Promise<T> {
    await this.#rootIsThere(attempt);
    if (!(await pathIsOurs(this.#root, attempt.key)))
      throw failure('unsupported', attempt, 'there is a link on its path, which could lead anywhere');
    return await work(attempt);
  }

  async #rootIsThere(attempt: Attempt): Promise<void> {
    const isThere = await stat(this.#root).then((stats) => stats.isDirectory(), notThere);
    if (!isThere) throw failure('noBucket', attempt, 'there is no such directory');
  }

  /** Our own writes wait for each other in order. */
  async #alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { clock, random } = this.#options;
    using _turn = await this.#turns.take(signal);
    return await withWriteLock(join(this.#root, LOCK_FILE), { clock, random, signal }, work);
  }

  async #look(key: string, signal: AbortSignal): Promise<Head | undefined> {
    await using file = await openFile(pathOf(this.#root, key));
    if (file === undefined) return undefined;
    const { size, mtime } = await file.stat();
    return { etag: await hashFile(file, signal), size, modifiedAt: mtime };
  }

  #describe(doing: Attempt['doing'], key: string): Attempt {
    return { doing, key, where: this.description };
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (isNothingThere(error)) return;
    throw error;
  }
  await syncDirectory(dirname(path));
}

function notThere(error: unknown): false {
  if (isNothingThere(error)) return false;
  throw error;
}
