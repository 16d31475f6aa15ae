/** A blob in its file. Nothing of it is believed: each piece is held against its checksum before anybody gets it. */
import { crc32 } from 'node:zlib';
import { isNothingThere } from '../kit/host/file-error.ts';
import { CorruptBlob, CutShort, readable } from './corrupt-blob.ts';
import { OUTGOING } from './memory-shares.ts';
import { OpenFile } from './open-file.ts';
import { ReadBuffers } from './read-buffers.ts';
import type { ByteRange } from './store.ts';
import { CRC_BYTES, hasMark, type KeptBlob, MOST_FOOT_BYTES, PIECE_BYTES, parseFoot, piecesOf } from './trailer.ts';

/** So many checksums are held at once, however large the blob. */
const CHECKSUMS_AT_ONCE = 1024;

/** Of pieces from the first up to, not with, the last. */
type Fetch = (first: number, last: number, buffers: ReadBuffers) => Promise<Buffer>;

export class BlobFile implements AsyncDisposable {
  readonly kept: KeptBlob;
  /** Nobody else has it while this is open. Some filesystems number beyond what a number tells apart. */
  readonly inode: bigint;
  readonly #file: OpenFile;
  /** All of a small file, or its end. */
  readonly #tail: Buffer;
  readonly #tailAt: number;
  /** What the last read reads into, and its share of the memory for that. */
  #buffers: ReadBuffers | undefined;
  #share: Disposable | undefined;
  #checksums: { readonly first: number; readonly bytes: Buffer } | undefined;

  private constructor(file: OpenFile, inode: bigint, kept: KeptBlob, tail: Buffer, tailAt: number) {
    this.#file = file;
    this.inode = inode;
    this.kept = kept;
    this.#tail = tail;
    this.#tailAt = tailAt;
  }

  /** Nothing if there is none. Rejects with Corrupt when it is not a file of ours, not a whole one, or cannot be read. */
  static async open(path: string): Promise<BlobFile | undefined> {
    const file = await readable({}, () => openIfThere(path));
    if (!file) return undefined;
    try {
      const { size: bytes, ino: inode } = await readable({}, async () => file.stat());
      const size = Number(bytes);
      const tailAt = Math.max(0, size - MOST_FOOT_BYTES);
      const tail = await readable({ inode, size }, () => readFully(file, tailAt, size - tailAt));
      const kept = tail && parseFoot(tail, size);
      if (!kept) throw illegible(tail, inode, size);
      return new BlobFile(file, inode, kept, tail, tailAt);
    } catch (error) {
      await file.close(0);
      throw error;
    }
  }

  /**
   * Pieces that fit their checksums, cut to the range. Rejects with Corrupt before any byte of one that does not. What it has yielded may
   * be overwritten as soon as the one after the next is asked for, or this is released or disposed of. One read at a time.
   */
  read(range: ByteRange = this.#whole): AsyncGenerator<Buffer, void, void> {
    return this.#pieces(range, (...where) => this.#verified(...where));
  }

  /** The same of all of it, whatever the checksums say. */
  readUnverified(): AsyncGenerator<Buffer, void, void> {
    return this.#pieces(this.#whole, (...where) => this.#unverified(...where));
  }

  get #whole(): ByteRange {
    return { start: 0, end: this.kept.size };
  }

  async *#pieces({ start, end }: ByteRange, fetch: Fetch): AsyncGenerator<Buffer, void, void> {
    this.#share ??= OUTGOING.hold();
    const buffers = new ReadBuffers();
    this.#buffers = buffers; // those of a read that broke off may still be on their way out: they are left to the garbage collector
    const last = piecesOf(end);
    for (let piece = Math.floor(start / PIECE_BYTES), next = piece; piece < last; piece = next) {
      next = Math.min(last, piece + OUTGOING.pieces);
      const at = piece * PIECE_BYTES;
      const bytes = await fetch(piece, next, buffers);
      yield bytes.subarray(Math.max(0, start - at), Math.min(bytes.length, end - at));
    }
  }

  async #verified(first: number, last: number, buffers: ReadBuffers): Promise<Buffer> {
    const bytes = await this.#unverified(first, last, buffers);
    for (let piece = first; piece < last; piece++) {
      const start = (piece - first) * PIECE_BYTES;
      if (crc32(bytes.subarray(start, start + PIECE_BYTES)) !== (await this.#checksum(piece))) {
        throw this.corrupt(`its bytes from ${piece * PIECE_BYTES} on are no longer what was stored`);
      }
    }
    return bytes;
  }

  #unverified(first: number, last: number, buffers: ReadBuffers): Promise<Buffer> {
    const at = first * PIECE_BYTES;
    return this.#bytes(at, Math.min(last * PIECE_BYTES, this.kept.size) - at, buffers);
  }

  async #checksum(piece: number): Promise<number> {
    const known = this.#checksums;
    if (known && piece >= known.first && piece < known.first + known.bytes.length / CRC_BYTES) {
      return known.bytes.readUInt32LE((piece - known.first) * CRC_BYTES);
    }
    const count = Math.min(CHECKSUMS_AT_ONCE, piecesOf(this.kept.size) - piece);
    this.#checksums = {
      first: piece,
      bytes: await this.#bytes(this.kept.size + piece * CRC_BYTES, count * CRC_BYTES),
    };
    return this.#checksums.bytes.readUInt32LE(0);
  }

  async #bytes(at: number, length: number, buffers?: ReadBuffers): Promise<Buffer> {
    const inTail = at - this.#tailAt;
    if (inTail >= 0) return this.#tail.subarray(inTail, inTail + length);
    const { inode, kept } = this;
    const bytes = await readable({ inode, size: kept.size }, () =>
      readFully(this.#file, at, length, buffers?.next(length)),
    );
    if (!bytes) throw this.corrupt('its file has become shorter');
    return bytes;
  }

  corrupt(why: string): CorruptBlob {
    return new CorruptBlob(why, this.inode, this.kept.size);
  }

  /** Gives the memory back. Only when nobody uses any more what was read. */
  release(): void {
    this.#buffers?.[Symbol.dispose]();
    this.#share?.[Symbol.dispose]();
    this.#buffers = this.#share = undefined;
  }

  /** Before its name is removed: then it is not this that gives its blocks back, which can take as long as a disk does. Nobody reads it any more. */
  closeNamed(): Promise<void> {
    return this.#file.close(0);
  }

  /** Only when nobody uses any more what was read. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    await this.#file.close(this.kept.size);
  }
}

function illegible(tail: Buffer | undefined, inode: bigint, size: number): CorruptBlob {
  const Kind = tail && hasMark(tail) ? CorruptBlob : CutShort;
  return new Kind('what is written about it at its end cannot be read', inode, size);
}

async function openIfThere(path: string): Promise<OpenFile | undefined> {
  try {
    return await OpenFile.open(path, 'r');
  } catch (error) {
    if (isNothingThere(error)) return undefined;
    throw error;
  }
}

/** Nothing when the file does not have so many bytes. */
async function readFully(
  file: OpenFile,
  at: number,
  length: number,
  bytes: Buffer = Buffer.allocUnsafeSlow(length),
): Promise<Buffer | undefined> {
  for (let got = 0; got < length; ) {
    const count = await file.read(bytes, got, length - got, at + got);
    if (count === 0) return undefined;
    got += count;
  }
  return bytes;
}
