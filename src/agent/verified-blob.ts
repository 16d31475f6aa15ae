/** An open blob that says so when it turns out to be bad, so that it is put aside. */
import type { BlobInfo } from '../pool-client/protocol.ts';
import { BlobFile } from './blob-file.ts';
import { hashOf } from './keys.ts';
import type { Layout } from './layout.ts';
import type { ByteRange, OpenBlob, RemovedFile } from './store.ts';

/** What the store does with it. */
export interface BlobKeeper {
  onError(hash: string, error: unknown): Promise<void>;
  /** The file, and no other that has come in its place. */
  remove(hash: string, file: BlobFile): Promise<RemovedFile>;
}

export class VerifiedBlob implements OpenBlob {
  readonly info: BlobInfo;
  readonly #hash: string;
  readonly #file: BlobFile;
  readonly #keeper: BlobKeeper;

  private constructor(hash: string, file: BlobFile, keeper: BlobKeeper) {
    const { key, size, sha256 } = file.kept;
    this.info = { key, size, sha256 };
    this.#hash = hash;
    this.#file = file;
    this.#keeper = keeper;
  }

  static async open(layout: Layout, hash: string, keeper: BlobKeeper): Promise<VerifiedBlob | undefined> {
    try {
      const file = await openBlob(layout, hash);
      return file && new VerifiedBlob(hash, file, keeper);
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
    return this.#keeper.remove(this.#hash, this.#file);
  }

  [Symbol.asyncDispose](): Promise<void> {
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
