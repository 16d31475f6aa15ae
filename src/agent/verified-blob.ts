/** An open blob that says so when it turns out to be bad, so that it is put aside. */
import type { BlobInfo } from '../pool-client/protocol.ts';
import { BlobFile } from './blob-file.ts';
import type { Watch } from './key-turns.ts';
import { hashOf } from './keys.ts';
import type { Layout } from './layout.ts';
import type { ByteRange, OpenBlob, RemovedFile } from './store.ts';

/** What the store does with it. */
export interface BlobKeeper {
  onError(hash: string, error: unknown): Promise<void>;
  /** The file, and no other that has come in its place. Where nobody has had a turn since it was opened, none has. */
  remove(hash: string, file: BlobFile, since: Watch): Promise<RemovedFile>;
}

export class VerifiedBlob implements OpenBlob {
  readonly info: BlobInfo;
  readonly #hash: string;
  readonly #file: BlobFile;
  readonly #keeper: BlobKeeper;
  readonly #sinceOpened: Watch;

  private constructor(hash: string, file: BlobFile, keeper: BlobKeeper, sinceOpened: Watch) {
    const { key, size, sha256 } = file.kept;
    this.info = { key, size, sha256 };
    this.#hash = hash;
    this.#file = file;
    this.#keeper = keeper;
    this.#sinceOpened = sinceOpened;
  }

  /** The watch is disposed of with it, or at once if there is none. */
  static async open(
    layout: Layout,
    hash: string,
    keeper: BlobKeeper,
    sinceOpened: Watch,
  ): Promise<VerifiedBlob | undefined> {
    using watch = new DisposableStack();
    watch.use(sinceOpened);
    try {
      const file = await openBlob(layout, hash);
      if (!file) return undefined;
      watch.move();
      return new VerifiedBlob(hash, file, keeper, sinceOpened);
    } catch (error) {
      await keeper.onError(hash, error);
      throw error;
    }
  }

  read(range?: ByteRange): AsyncGenerator<Buffer, void, void> {
    return this.#told(this.#file.read(range));
  }

  readUnverified(): AsyncGenerator<Buffer, void, void> {
    return this.#told(this.#file.readUnverified());
  }

  async *#told(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    try {
      for await (const bytes of pieces) yield bytes;
    } catch (error) {
      await this.#keeper.onError(this.#hash, error);
      throw error;
    }
  }

  /** Of its file. */
  get inode(): bigint {
    return this.#file.inode;
  }

  release(): void {
    this.#file.release();
  }

  remove(): Promise<RemovedFile> {
    return this.#keeper.remove(this.#hash, this.#file, this.#sinceOpened);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#sinceOpened[Symbol.dispose]();
    return this.#file[Symbol.asyncDispose]();
  }
}

/** Nothing if there is none. Rejects with a CorruptBlob when its file is not as we have written it, or that of another key. */
export async function openBlob(layout: Layout, hash: string): Promise<BlobFile | undefined> {
  const file = await BlobFile.open(layout.blob(hash));
  if (!file || hashOf(file.kept.key) === hash) return file;
  await file[Symbol.asyncDispose]();
  throw file.corrupt('its file is that of another key');
}
