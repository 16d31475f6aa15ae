/** A store in memory for simulations. What is stored outlives the agent; an agent that was killed does nothing any more. */
import { createHash } from 'node:crypto';
import type { Random } from '../kit/backoff.ts';
import { hashOfKey } from '../pool-client/blob-path.ts';
import type { BlobInfo, BlobPage } from '../pool-client/protocol.ts';
import { Fence } from './drain-fence.ts';
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

export interface KeptBytes {
  readonly info: BlobInfo;
  bytes: Buffer;
}

/** What is on the disk. */
export class SimulatedDisk {
  readonly blobs = new Map<string, KeptBytes>();
  readonly aside = new Set<string>();
  /** What is gone, but not yet for good. */
  readonly unsettled = new Map<string, KeptBytes>();
  /** No blob beyond that is taken. */
  mostBytes = Number.POSITIVE_INFINITY;

  add(key: string, bytes: Buffer): void {
    this.blobs.set(key, { info: { key, size: bytes.length, sha256: sha256Of(bytes) }, bytes });
  }

  /** Its bytes change behind the back of everybody. */
  spoil(key: string): void {
    const kept = this.blobs.get(key);
    if (kept) kept.bytes = Buffer.concat([kept.bytes, Buffer.from('!')]);
  }

  /** Some of what is not gone for good is there again. */
  losePower(random: Random): void {
    for (const [key, kept] of this.unsettled) {
      if (random() < 0.5 && !this.blobs.has(key) && !this.aside.has(key)) this.blobs.set(key, kept);
    }
    this.unsettled.clear();
  }

  get bytes(): number {
    return this.blobs.values().reduce((sum, { info }) => sum + info.size, 0);
  }
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export class SimulatedStore implements Store {
  readonly #disk: SimulatedDisk;
  /** Before and after everything that touches the disk. It does not come back when the agent was killed. */
  readonly #step: () => Promise<void>;
  readonly #fence = new Fence();
  #uploads = 0;

  constructor(disk: SimulatedDisk, step: () => Promise<void>) {
    this.#disk = disk;
    this.#step = step;
  }

  put(key: string, body: AsyncIterable<Buffer>, expected: ExpectedBlob = {}): Promise<PutBlob> {
    return this.#fence.coming(key, body, (pieces) => this.#put(key, pieces, expected));
  }

  async #put(key: string, body: AsyncIterable<Buffer>, expected: ExpectedBlob): Promise<PutBlob> {
    this.#uploads += 1;
    try {
      const pieces: Buffer[] = [];
      for await (const piece of body) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      const info = { key, size: bytes.length, sha256: sha256Of(bytes) };
      if (expected.sha256 && expected.sha256 !== info.sha256) throw new StoreError('DigestMismatch', 'other bytes');
      await this.#step();
      const there = this.#disk.blobs.get(key);
      if (there && there.info.sha256 !== info.sha256) throw new StoreError('Conflict', 'other bytes are stored');
      if (!there && this.#disk.bytes + info.size > this.#disk.mostBytes) throw new StoreError('Full', 'no room');
      if (!there) this.#disk.blobs.set(key, { info, bytes });
      this.#disk.unsettled.delete(key);
      await this.#step();
      return { made: !there, info };
    } finally {
      this.#uploads -= 1;
    }
  }

  async open(key: string): Promise<OpenBlob | undefined> {
    await this.#step();
    const kept = this.#disk.blobs.get(key);
    if (this.#disk.aside.has(key)) throw new StoreError('Corrupt', 'it was put aside');
    if (!kept) return undefined;
    return {
      info: kept.info,
      read: () => this.#verified(kept),
      readUnverified: () => this.#pieces(kept),
      release() {},
      remove: () => this.#removeThis(kept),
      async [Symbol.asyncDispose]() {},
    };
  }

  async openHash(hash: string): Promise<OpenBlob | undefined> {
    const key = [...this.#disk.blobs.keys(), ...this.#disk.aside].find((each) => hashOfKey(each) === hash);
    if (key !== undefined) return this.open(key);
    await this.#step();
    return undefined;
  }

  async #removeThis(kept: KeptBytes): Promise<RemovedFile> {
    const { key } = kept.info;
    await this.#fence.cutOff(key);
    await this.#step();
    const there = this.#disk.blobs.get(key);
    if (there !== kept) return there ? 'another' : 'absent';
    this.#disk.blobs.delete(key);
    this.#disk.aside.delete(key);
    this.#disk.unsettled.set(key, kept);
    await this.#step();
    return 'removed';
  }

  async remove(key: string, isMeant?: (sha256: string) => boolean): Promise<Removal> {
    await this.#fence.cutOff(key);
    await this.#step();
    const info = this.#disk.blobs.get(key)?.info;
    if (isMeant && (info ? !isMeant(info.sha256) : this.#disk.aside.has(key))) return { is: 'another' };
    this.#disk.blobs.delete(key);
    const wasAside = this.#disk.aside.delete(key);
    this.#disk.unsettled.delete(key);
    await this.#step();
    if (info) return { is: 'removed', sha256: info.sha256 };
    return { is: wasAside ? 'given up' : 'absent' };
  }

  async list({ after = '', limit, prefix = '' }: PageOfBlobs): Promise<BlobPage> {
    await this.#step();
    const infos = [...this.#disk.blobs.values()].map(({ info }) => ({ info, hash: hashOfKey(info.key) }));
    const rest = infos
      .filter(({ info, hash }) => hash > after && info.key.startsWith(prefix))
      .sort((a, b) => (a.hash < b.hash ? -1 : 1));
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    return { items: page.map(({ info }) => info), ...(rest.length > limit && last && { continue: last.hash }) };
  }

  async *hashes(): AsyncGenerator<string> {
    await this.#step();
    for (const hash of [...this.#disk.blobs.keys()].map(hashOfKey).sort()) {
      yield hash;
      await this.#step();
    }
  }

  async settle(): Promise<void> {
    await this.#step();
    this.#disk.unsettled.clear();
    await this.#step();
  }

  async isEmpty(): Promise<boolean> {
    await this.#step();
    return this.#uploads === 0 && this.#disk.blobs.size === 0 && this.#disk.aside.size === 0;
  }

  async damaged({ limit }: PageOfBlobs): Promise<DamagedPage> {
    await this.#step();
    return { items: [...this.#disk.aside].slice(0, limit).map((key) => ({ hash: hashOfKey(key), key })) };
  }

  totals(): StoreTotals {
    return { blobs: this.#disk.blobs.size, bytes: this.#disk.bytes, corrupt: this.#disk.aside.size };
  }

  async *#verified(kept: KeptBytes): AsyncGenerator<Buffer> {
    await this.#step();
    const { info, bytes } = kept;
    if (sha256Of(bytes) !== info.sha256) {
      this.#disk.blobs.delete(info.key);
      this.#disk.aside.add(info.key);
      throw new StoreError('Corrupt', 'it is not what was stored');
    }
    yield* this.#pieces(kept);
  }

  async *#pieces({ bytes }: KeptBytes): AsyncGenerator<Buffer> {
    await this.#step();
    const half = Math.ceil(bytes.length / 2);
    for (const piece of [bytes.subarray(0, half), bytes.subarray(half)]) {
      if (piece.length > 0) yield piece;
      await this.#step();
    }
  }
}
