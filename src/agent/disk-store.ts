/** The store on a real filesystem. What is acknowledged survives a power cut; what is read is what was stored, or an error. */
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../kit/backoff.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import { errorCode, isNothingThere } from '../kit/host/file-error.ts';
import type { Log } from '../kit/observe/log.ts';
import type { BlobInfo, BlobPage } from '../pool-client/protocol.ts';
import type { BlobFile } from './blob-file.ts';
import { CorruptBlob } from './corrupt-blob.ts';
import { Counting } from './counting.ts';
import { Directories } from './directories.ts';
import { Fence } from './drain-fence.ts';
import type { HashingThread } from './hashing-thread.ts';
import { KeyTurns } from './key-turns.ts';
import { hashOf } from './keys.ts';
import type { Layout } from './layout.ts';
import { hashesIn, pageOfBlobs } from './listing.ts';
import { Quarantine, type Taken } from './quarantine.ts';
import {
  type DamagedPage,
  type ExpectedBlob,
  type OpenBlob,
  type PageOfBlobs,
  type PutBlob,
  type Removal,
  type RemovedFile,
  type Store,
  StoreError,
  type StoreTotals,
} from './store.ts';
import type { KeptBlob } from './trailer.ts';
import type { Upload } from './upload.ts';
import { Uploads } from './uploads.ts';
import { type BlobKeeper, openBlob, VerifiedBlob } from './verified-blob.ts';

const REMEDY = 'A PUT of the bytes that were stored brings it back; a DELETE removes what is left of it';
const PUT_ASIDE = `the blob of this key has gone bad and was put aside. ${REMEDY}`;

export interface DiskStoreParts {
  readonly layout: Layout;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** No blob may have more bytes. */
  readonly mostBytes: number;
  /** Told of each blob that is put aside. */
  readonly onCorrupt?: () => void;
  readonly directories?: Directories;
  /** Makes the digests of large blobs, where there is a processor to spare. */
  readonly hashing?: HashingThread | undefined;
}

/** So many shelves are looked at together. */
const AT_ONCE = 8;

/** From this size on. */
const HASHED_APART_BYTES = 2 * 1024 * 1024;

export class DiskStore implements Store, AsyncDisposable {
  readonly #parts: DiskStoreParts;
  readonly #layout: Layout;
  readonly #uploads: Uploads;
  readonly #quarantine: Quarantine;
  readonly #counting: Counting;
  readonly #turns = new KeyTurns();
  readonly #fence = new Fence();
  readonly #directories: Directories;

  private constructor(parts: DiskStoreParts, directories: Directories, uploads: Uploads, quarantine: Quarantine) {
    this.#parts = parts;
    this.#directories = directories;
    this.#layout = parts.layout;
    this.#uploads = uploads;
    this.#quarantine = quarantine;
    this.#counting = new Counting(this.#layout, (hash) => this.#measure(hash));
  }

  /** Nobody else may use the directory. It can be used at once; until `counted` its totals are not all. */
  static async open(parts: DiskStoreParts): Promise<DiskStore> {
    const { layout, random, log, directories = new Directories() } = parts;
    await layout.make();
    const quarantine = await Quarantine.open(layout, directories);
    const uploads = new Uploads(layout, random, log);
    await uploads.recover(quarantine);
    return new DiskStore(parts, directories, uploads, quarantine);
  }

  /** Counts what is there, if it was not yet; not all of it when the signal is aborted before. */
  count(signal?: AbortSignal): Promise<void> {
    return this.#counting.all(signal);
  }

  get isCounted(): boolean {
    return this.#counting.isDone;
  }

  put(key: string, body: AsyncIterable<Buffer>, expected: ExpectedBlob = {}): Promise<PutBlob> {
    return this.#fence.coming(key, body, (pieces) => this.#put(key, pieces, expected));
  }

  #put(key: string, body: AsyncIterable<Buffer>, expected: ExpectedBlob): Promise<PutBlob> {
    const hash = hashOf(key);
    const store = async (upload: Upload) => {
      await upload.fill(body, this.#parts.mostBytes);
      const kept = await upload.finish(key, this.#parts.clock.now().toISOString());
      check(kept, expected);
      await upload.written();
      const made = await this.#turns.run(hash, () => this.#keep(hash, upload, kept));
      return { made, info: infoOf(kept) };
    };
    return this.#uploads.with(hash, store, this.#hashingFor(expected));
  }

  /** Of a small one, to tell the thread takes longer than to do it. */
  #hashingFor({ size = 0 }: ExpectedBlob): HashingThread | undefined {
    const { hashing } = this.#parts;
    return size >= HASHED_APART_BYTES && hashing?.isWell ? hashing : undefined;
  }

  open(key: string): Promise<OpenBlob | undefined> {
    return this.openHash(hashOf(key));
  }

  /** What has its name is not on the disk before its turn is over, and may lose it again. */
  async openHash(hash: string): Promise<OpenBlob | undefined> {
    for (;;) {
      await this.#turns.idle(hash);
      const watch = this.#turns.watch(hash);
      const blob = await VerifiedBlob.open(this.#layout, hash, this.#keeper, watch);
      if (!blob && this.#quarantine.has(hash)) throw new StoreError('Corrupt', PUT_ASIDE);
      if (!blob || !watch.hasSeenTurn) return blob;
      if (await this.#isStillThere(hash, blob)) return blob;
      await blob[Symbol.asyncDispose]();
    }
  }

  /** One that nobody can tell is closed: whoever asked for it hears why. */
  async #isStillThere(hash: string, blob: VerifiedBlob): Promise<boolean> {
    try {
      await this.#turns.idle(hash);
      return (await this.#inodeOf(hash)) === blob.inode;
    } catch (error) {
      await blob[Symbol.asyncDispose]();
      throw error;
    }
  }

  async remove(key: string, isMeant?: (sha256: string) => boolean): Promise<Removal> {
    const hash = hashOf(key);
    await this.#fence.cutOff(key);
    return await this.#turns.run(hash, async () => {
      await this.#counting.before(hash);
      const info = await this.#look(hash);
      if (isMeant && (info ? !isMeant(info.sha256) : this.#quarantine.has(hash))) return { is: 'another' };
      if (info) await this.#unlink(hash, info.size);
      const wasAside = await this.#giveUp(hash);
      await this.#settle(hash); // also where nothing is: what has removed it may not have come so far
      if (info) return { is: 'removed', sha256: info.sha256 };
      return { is: wasAside ? 'given up' : 'absent' };
    });
  }

  list(page: PageOfBlobs): Promise<BlobPage> {
    return pageOfBlobs(this.#layout, page, (hash) => this.#turns.run(hash, () => this.#look(hash)));
  }

  hashes(): AsyncIterable<string> {
    return hashesIn(this.#layout);
  }

  damaged(page: PageOfBlobs): Promise<DamagedPage> {
    return this.#quarantine.page(page);
  }

  /** What is left here of a blob that was put aside, and nothing else of its key. False if nothing is. */
  giveUp(hash: string): Promise<boolean> {
    return this.#turns.run(hash, async () => {
      const wasAside = await this.#giveUp(hash);
      await this.#settle(hash);
      return wasAside;
    });
  }

  /** Whoever calls it has the turn of the hash. */
  async #giveUp(hash: string): Promise<boolean> {
    if (this.#quarantine.isHeld(hash)) await this.#unlink(hash, 0);
    return this.#quarantine.remove(hash);
  }

  async settle(): Promise<void> {
    const { blobs, shelves, quarantine } = this.#layout;
    const directories = [...shelves.map((shelf) => join(blobs, shelf)), quarantine];
    await Promise.all(directories.map((path) => this.#directories.settle(path)));
  }

  async isEmpty(): Promise<boolean> {
    if (!(await this.#uploads.isEmpty())) return false;
    const look = (shelf: string) => readdir(join(this.#layout.blobs, shelf));
    if ((await fewAtATime(AT_ONCE, this.#layout.shelves, look)).some((names) => names.length > 0)) return false;
    return (await this.#quarantine.isEmpty()) && (await this.#uploads.isEmpty());
  }

  totals(): StoreTotals {
    return { ...this.#counting.totals, corrupt: this.#quarantine.count };
  }

  /** What is being written at this moment. */
  get uploads(): number {
    return this.#uploads.underWay;
  }

  /** Reads all of a blob, and puts it aside if it is not what was stored. `pace` is told how much was read each time. */
  async verify(hash: string, pace: (bytes: number) => Promise<void>): Promise<void> {
    await using blob = await VerifiedBlob.open(this.#layout, hash, this.#keeper, this.#turns.watch(hash));
    if (!blob) return;
    for await (const bytes of blob.read()) await pace(bytes.length);
  }

  /** Whether it is new here. */
  async #keep(hash: string, upload: Upload, kept: KeptBlob): Promise<boolean> {
    await this.#counting.before(hash);
    if (this.#quarantine.has(hash) && !(await this.#quarantine.holds(hash, kept.sha256))) {
      throw new StoreError('Conflict', PUT_ASIDE);
    }
    if (!(await this.#hasNamed(upload, hash))) return this.#compare(hash, upload, kept);
    await this.#makeDurable(hash, upload);
    this.#counting.added(kept.size);
    if (await this.#quarantine.remove(hash)) this.#parts.log.info({ hash }, 'a blob that was put aside is back');
    return true;
  }

  async #hasNamed(upload: Upload, hash: string): Promise<boolean> {
    try {
      await upload.linkTo(this.#layout.blob(hash));
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /**
   * It has its name before it is on the disk: one commit of the filesystem's journal then does for both. Until this is over nobody
   * gets to see it, and a start after a crash knows by the file of the upload that it may be incomplete.
   */
  async #makeDurable(hash: string, upload: Upload): Promise<void> {
    try {
      await upload.sync();
      await this.#directories.sync(this.#layout.shelf(hash));
    } catch (error) {
      await unlink(this.#layout.blob(hash));
      this.#directories.changed(this.#layout.shelf(hash));
      await this.#directories.sync(this.#layout.shelf(hash)).catch(() => {});
      throw error;
    }
  }

  async #compare(hash: string, upload: Upload, kept: KeptBlob): Promise<boolean> {
    const there = await this.#look(hash);
    if (there === undefined) return this.#keep(hash, upload, kept); // it was bad, and was put aside just now
    if (there.sha256 === kept.sha256) return false;
    throw new StoreError('Conflict', `other bytes are stored under this key: their SHA-256 is ${there.sha256}`);
  }

  /** What is said of a blob in its file; nothing if there is none, or it cannot be read and was put aside. */
  async #look(hash: string): Promise<BlobInfo | undefined> {
    try {
      await using file = await openBlob(this.#layout, hash);
      return file && infoOf(file.kept);
    } catch (error) {
      if (!(error instanceof CorruptBlob)) throw error;
      await this.#putAside(hash, error);
      return undefined;
    }
  }

  /** Whoever calls it has the turn of the hash. */
  async #putAside(hash: string, error: CorruptBlob): Promise<void> {
    await this.#counting.before(hash);
    if ((await this.#taken(hash, error)) === 'put aside') this.#counting.removed(error.size);
  }

  async #taken(hash: string, error: CorruptBlob): Promise<Taken> {
    const wasHeld = this.#quarantine.isHeld(hash);
    const taken = await this.#quarantine.take(hash, error.inode);
    if (taken === 'gone' || wasHeld) return taken;
    this.#parts.onCorrupt?.();
    const where = taken === 'held' ? 'cannot even be put aside' : 'was put aside';
    this.#parts.log.error({ hash, err: error }, `a blob has gone bad: it ${where}, and is not served. ${REMEDY}`);
    return taken;
  }

  /** Nothing can have been counted of a shelf that is being counted. What stays on it is counted, whatever its size. */
  async #measure(hash: string): Promise<number | undefined> {
    try {
      await using file = await openBlob(this.#layout, hash);
      return file?.kept.size;
    } catch (error) {
      if (!(error instanceof CorruptBlob)) throw error;
      return (await this.#taken(hash, error)) === 'held' ? 0 : undefined;
    }
  }

  readonly #keeper: BlobKeeper = {
    onError: async (hash, error) => {
      if (error instanceof CorruptBlob) await this.#turns.run(hash, () => this.#putAside(hash, error));
    },
    remove: async (hash, file, since) => {
      await this.#fence.cutOff(file.kept.key);
      const isSurelyThere = !since.hasSeenTurn; // until this turn, which begins now
      return await this.#turns.run(hash, () => this.#removeFile(hash, file, isSurelyThere));
    },
  };

  /** What is open has its inode for itself: a name that leads there leads to these bytes, and they need not be read to know it. */
  async #removeFile(hash: string, file: BlobFile, isSurelyThere: boolean): Promise<RemovedFile> {
    const { inode, kept } = file;
    await this.#counting.before(hash);
    const there = isSurelyThere && !this.#quarantine.has(hash) ? inode : await this.#inodeOf(hash);
    if (there === undefined) return 'absent';
    if (there !== inode) return 'another';
    await file.closeNamed();
    await this.#unlink(hash, kept.size);
    await this.#quarantine.remove(hash);
    return 'removed';
  }

  async #inodeOf(hash: string): Promise<bigint | undefined> {
    return (await lstat(this.#layout.blob(hash), { bigint: true }).catch(ifThere))?.ino;
  }

  async #unlink(hash: string, size: number): Promise<void> {
    await unlink(this.#layout.blob(hash));
    this.#counting.removed(size);
    this.#directories.changed(this.#layout.shelf(hash));
  }

  /** Resolves when it is on the disk that what was removed of the hash is gone. */
  async #settle(hash: string): Promise<void> {
    const { quarantine } = this.#layout;
    await Promise.all([this.#layout.shelf(hash), quarantine].map((path) => this.#directories.settle(path)));
  }

  /** When nobody uses it any more. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#directories[Symbol.asyncDispose]();
  }
}

function ifThere(error: unknown): undefined {
  if (!isNothingThere(error)) throw error;
  return undefined;
}

const infoOf = ({ key, size, sha256 }: KeptBlob): BlobInfo => ({ key, size, sha256 });

function check({ size, sha256 }: KeptBlob, expected: ExpectedBlob): void {
  if (expected.size !== undefined && size !== expected.size) {
    throw new StoreError('BadRequest', `${size} bytes have come, and ${expected.size} were said to`);
  }
  if (expected.sha256 !== undefined && sha256 !== expected.sha256) {
    throw new StoreError('DigestMismatch', `the SHA-256 of what has come is ${sha256}, and not ${expected.sha256}`);
  }
}
