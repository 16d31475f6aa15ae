/** A blob while it comes in: a file of its own beside the others, which becomes a blob only when it is whole. */
import { constants, link, unlink } from 'node:fs/promises';
import { errorCode } from '../kit/host/file-error.ts';
import { Checksums } from './checksums.ts';
import type { GrowingDigest, HashingThread } from './hashing-thread.ts';
import type { Headroom } from './headroom.ts';
import { INCOMING } from './memory-shares.ts';
import { OpenFile } from './open-file.ts';
import { StoreError } from './store.ts';
import { footOf, type KeptBlob, PIECE_BYTES } from './trailer.ts';

/** What comes in tiny pieces takes many times its bytes of memory. */
const WRITE_PIECES = 1024;
const BLOCK_BYTES = 4096;

export class Upload {
  readonly path: string;
  readonly #file: OpenFile;
  readonly #headroom: Headroom;
  readonly #checksums: Checksums;
  /** Of all of it, where a thread of its own makes that. */
  readonly #digest: GrowingDigest | undefined;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, file: OpenFile, headroom: Headroom, hashing: HashingThread | undefined) {
    this.path = path;
    this.#file = file;
    this.#headroom = headroom;
    this.#digest = hashing?.digestOf(file.fd);
    this.#checksums = new Checksums({ ofWhole: this.#digest === undefined });
  }

  /** With `hashing` the digest is made there. */
  static async begin(path: string, headroom: Headroom, hashing?: HashingThread): Promise<Upload> {
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR;
    return new Upload(path, await room(() => OpenFile.open(path, flags, 0o600)), headroom, hashing);
  }

  /** Takes all of the body, and no more than `most` bytes of it. */
  async fill(body: AsyncIterable<Buffer>, most: number): Promise<void> {
    using _ = INCOMING.hold();
    for await (const bytes of body) {
      if (this.#checksums.size + bytes.length > most) {
        throw new StoreError('TooLarge', `it has more than the ${most} bytes that a blob may have here`);
      }
      this.#gathered.push(bytes);
      this.#gatheredBytes += bytes.length;
      this.#checksums.add(bytes);
      if (this.#isEnough) await this.#passOn();
    }
  }

  /** To be asked once, when all has come in. */
  async finish(key: string, at: string): Promise<KeptBlob> {
    const { size } = this.#checksums;
    const { sha256 = await this.#digestOfAll(), pieces } = this.#checksums.finish();
    const kept: KeptBlob = { key, size, sha256, at };
    this.#gathered.push(pieces, footOf(kept));
    return kept;
  }

  async #digestOfAll(): Promise<string> {
    await this.written();
    return (await this.#digest?.finish()) ?? '';
  }

  /** Resolves when all is in the file, if not yet on the disk. */
  async written(): Promise<void> {
    await this.#passOn();
    await this.#writing;
  }

  linkTo(path: string): Promise<void> {
    return room(() => link(this.path, path));
  }

  sync(): Promise<void> {
    return room(() => this.#file.sync());
  }

  /** What has not become a blob is gone with this. */
  async end(): Promise<void> {
    await this.#writing.catch(() => {}); // whoever waits for it has been told
    await this.#digest?.end(); // never rejects: the file is closed and removed whatever the thread says
    await Promise.all([this.#file.close(this.#checksums.size), unlink(this.path)]);
  }

  /** So much is written at once; while it is, as much again is gathered. */
  get #isEnough(): boolean {
    return this.#gatheredBytes >= INCOMING.pieces * PIECE_BYTES || this.#gathered.length >= WRITE_PIECES;
  }

  /** One write at a time: whoever sends faster than the disk takes it waits here. */
  async #passOn(): Promise<void> {
    await this.#writing;
    const chunks = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#writing = this.#write(chunks);
    this.#writing.catch(() => {}); // told by the next one who waits for it
  }

  async #write(chunks: Buffer[]): Promise<void> {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    await this.#headroom.write(blocksOf(bytes), () => room(() => writeFully(this.#file, chunks)));
    if (bytes > 0) this.#digest?.add(bytes);
  }
}

/** What the filesystem takes for it: whole blocks. */
const blocksOf = (bytes: number): number => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;

/** The system may take less than it was given, such as when room runs out. */
async function writeFully(file: OpenFile, chunks: Buffer[]): Promise<void> {
  for (let left = chunks; left.length > 0; ) {
    left = without(left, await file.writev(left));
  }
}

function without(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let skip = bytes;
  const rest: Buffer[] = [];
  for (const chunk of chunks) {
    if (skip < chunk.length) rest.push(chunk.subarray(skip));
    skip = Math.max(0, skip - chunk.length);
  }
  return rest;
}

/** That there is no room is an answer, not an accident. */
async function room<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new StoreError('Full', 'there is no room left here', { cause });
    if (code === 'EFBIG') throw new StoreError('TooLarge', 'the filesystem takes no file that large', { cause });
    throw cause;
  }
}
