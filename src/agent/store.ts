/** What the agent needs of the place where the blobs are: the server and the drain know no more of it than this. */
import type { BlobInfo, BlobPage, Reason } from '../pool-client/protocol.ts';

export interface Store {
  /**
   * Keeps the bytes under the key, once and for ever: when it settles, they are on the disk. The same bytes again are not `made`;
   * other bytes are a Conflict. Whatever fails leaves nothing behind.
   */
  put(key: string, body: AsyncIterable<Buffer>, expected?: ExpectedBlob): Promise<PutBlob>;
  open(key: string): Promise<OpenBlob | undefined>;
  /** The same by the hash of the key, as one of `hashes`. */
  openHash(hash: string): Promise<OpenBlob | undefined>;
  /** Also of the blobs that were put aside. With `isMeant`, only bytes of a digest that it says yes to. When it settles, that is on the disk. */
  remove(key: string, isMeant?: (sha256: string) => boolean): Promise<Removal>;
  /** In the order of the hashed keys, whatever comes and goes meanwhile. `after` is what the page before said as `continue`. */
  list(page: PageOfBlobs): Promise<BlobPage>;
  /** The hashed keys of all that is there, in order, without a look at any of it. */
  hashes(): AsyncIterable<string>;
  /** Resolves when it is on the disk that all is gone that was removed before this call, by whomever. */
  settle(): Promise<void>;
  /** By looking at the directories, not by counting: no blob, none put aside, and nothing being written. */
  isEmpty(): Promise<boolean>;
  totals(): StoreTotals;
  /** Blobs that have gone bad, in the order of the hashed keys. */
  damaged(page: PageOfBlobs): Promise<DamagedPage>;
}

/** What the sender says of it beforehand. Bytes that do not fit are not kept. */
export interface ExpectedBlob {
  readonly sha256?: string;
  readonly size?: number;
}

export interface PutBlob {
  readonly made: boolean;
  readonly info: BlobInfo;
}

export type Removal =
  | { readonly is: 'removed'; readonly sha256: string }
  /** What was left of a blob that had gone bad. */
  | { readonly is: 'given up' }
  | { readonly is: 'absent' }
  /** Other bytes than were meant are there, or were and have gone bad. They stay. */
  | { readonly is: 'another' };

export interface OpenBlob extends AsyncDisposable {
  readonly info: BlobInfo;
  /**
   * Verified pieces; rejects with a StoreError (Corrupt) before any byte of a bad one. Bytes from `start` up to, not with, `end`. A piece
   * may be overwritten as soon as the one after the next is asked for, or the blob is released or closed: who keeps it longer makes a copy.
   */
  read(range?: ByteRange): AsyncIterable<Buffer>;
  /** All of it as the disk gives it back, in pieces as by `read`: for who has the whole held against its digest before it counts. */
  readUnverified(): AsyncIterable<Buffer>;
  /** Gives back the memory that it was read into: nobody uses what was read any more. */
  release(): void;
  /** Removes this very blob, and no other that has come in its place. That is on the disk when the store has settled after it. */
  remove(): Promise<RemovedFile>;
}

/** `another`: that one stays. */
export type RemovedFile = 'removed' | 'absent' | 'another';

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface PageOfBlobs {
  readonly after?: string;
  readonly limit: number;
  readonly prefix?: string;
}

/** A blob that was put aside, as far as it can still be told what it was. */
export interface DamagedBlob extends Partial<BlobInfo> {
  /** The SHA-256 of its key. */
  readonly hash: string;
}

export interface DamagedPage {
  readonly items: readonly DamagedBlob[];
  readonly continue?: string;
}

export interface StoreTotals {
  readonly blobs: number;
  readonly bytes: number;
  readonly corrupt: number;
}

export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
