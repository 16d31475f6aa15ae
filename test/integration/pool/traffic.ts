/**
 * Those who use a pool all the time: they store, read and remove blobs, and remember what they were told. Whatever the pool does meanwhile,
 * a blob that was acknowledged is there with its bytes until it is removed, and one that was removed never comes back.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { BlobSource, PoolClient } from '../../../src/pool-client/index.ts';
import { eventually } from '../../harness/wait.ts';
import { blobOf, sizeOf } from './blob-content.ts';

/**
 * Milliseconds for which something is tried again. To store and to remove need all agents at the same moment, which is rare on a busy
 * machine while they are killed; whoever has to wait longer than this has lost something.
 */
const PATIENCE = 180_000;
const READERS = 2;

interface Blob extends BlobSource {
  readonly key: string;
}

export interface Counts {
  written: number;
  read: number;
  removed: number;
  /** How often something failed and went well when it was tried again. */
  retried: number;
  /** A blob that is there was said not to be. */
  missed: number;
  /** A read that failed for as long as it was tried again. */
  unserved: number;
}

export class Traffic implements AsyncDisposable {
  readonly counts: Counts = { written: 0, read: 0, removed: 0, retried: 0, missed: 0, unserved: 0 };
  /** Each a sentence. There must never be one. */
  readonly wrongs: string[] = [];
  /** The last few that were tried again. */
  readonly failures: string[] = [];
  readonly #client: PoolClient;
  readonly #total: number;
  readonly #there = new Map<string, Blob>();
  readonly #gone: Blob[] = [];
  #last = 0;
  #bytes = 0;
  #over = false;
  #running: Promise<unknown> = Promise.resolve();

  /** `total` is how many bytes there are to be, give or take the largest blob. */
  constructor(client: PoolClient, total: number) {
    this.#client = client;
    this.#total = total;
  }

  get blobs(): number {
    return this.#there.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async fill(): Promise<void> {
    while (this.#bytes < this.#total) await this.#write();
  }

  /** To store, to remove and to find nothing needs all agents, and to read needs one: so readers wait for nobody but him. */
  begin(): void {
    const readers = Array.from({ length: READERS }, () => this.#repeat(() => this.#readAny()));
    this.#running = Promise.all([
      ...readers,
      this.#repeat(() => this.#replace()),
      this.#repeat(() => this.#lookForGone()),
    ]);
  }

  /** Waits until so many more have been read. */
  async reads(more: number, timeout: number): Promise<void> {
    const enough = this.counts.read + more;
    await eventually(() => this.counts.read >= enough, { timeout, for: `${more} more reads` });
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#running;
  }

  /** Reads everything once more, also what must not be there. */
  async audit(): Promise<void> {
    for (const blob of this.#there.values()) await this.#read(blob);
    for (const blob of this.#gone) await this.#mustBeGone(blob);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (!this.#over) {
      await step().catch((error: Error) => {
        this.wrongs.push(error.message);
      });
    }
  }

  /** As much goes as comes. */
  async #replace(): Promise<void> {
    await this.#write();
    while (this.#bytes > this.#total && !this.#over) await this.#remove(any([...this.#there.values()]));
  }

  async #write(): Promise<void> {
    const key = `blob/${++this.#last}`;
    const blob = { key, ...blobOf(key, sizeOf(this.#last)) };
    await this.#patiently(`${key} to be stored`, () => this.#client.put(key, blob));
    this.#there.set(key, blob);
    this.#bytes += blob.size;
    this.counts.written += 1;
  }

  async #remove(blob: Blob | undefined): Promise<void> {
    if (!blob) return;
    this.#there.delete(blob.key);
    this.#bytes -= blob.size;
    await this.#patiently(`${blob.key} to be removed`, () => this.#client.remove(blob.key));
    this.#gone.push(blob);
    this.counts.removed += 1;
  }

  async #readAny(): Promise<void> {
    const blob = any([...this.#there.values()]);
    if (blob) await this.#read(blob);
  }

  async #lookForGone(): Promise<void> {
    const gone = any(this.#gone);
    if (gone) await this.#mustBeGone(gone);
    else await setImmediate();
  }

  async #read(blob: Blob): Promise<void> {
    await this.#patiently(`${blob.key} to be read`, async () => {
      const sha256 = await this.#digestOf(blob.key);
      if (!this.#there.has(blob.key)) return;
      if (sha256 === undefined) this.counts.missed += 1;
      if (sha256 === undefined) throw new Error(`${blob.key} was said not to be there`);
      if (sha256 !== blob.sha256) this.wrongs.push(`${blob.key} has other bytes than were stored`);
    }).catch((error: unknown) => {
      this.counts.unserved += 1;
      throw error;
    });
    this.counts.read += 1;
  }

  async #mustBeGone({ key }: Blob): Promise<void> {
    const sha256 = await this.#patiently(`${key} to be looked for`, () => this.#digestOf(key));
    if (sha256 !== undefined) this.wrongs.push(`${key} was removed and is there again`);
  }

  async #digestOf(key: string): Promise<string | undefined> {
    const found = await this.#client.get(key);
    if (!found) return undefined;
    const hash = createHash('sha256');
    for await (const piece of found.body) hash.update(piece);
    return hash.digest('hex');
  }

  async #patiently<T>(what: string, attempt: () => Promise<T>): Promise<T> {
    let tries = 0;
    const again = async () => {
      tries += 1;
      return await attempt().catch((error: Error) => {
        this.failures.push(`${what}: ${error.message}`);
        if (this.failures.length > 20) this.failures.shift();
        throw error;
      });
    };
    // `false` is an answer here, not a reason to try again.
    const { value } = await eventually(async () => ({ value: await again() }), { timeout: PATIENCE, for: what });
    this.counts.retried += tries - 1;
    return value;
  }
}

const any = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];
