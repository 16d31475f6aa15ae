/**
 * A store in which a blob that is removed while it comes in does not come in. The agent that sent it may have died, and started anew, and
 * passed the removal on to here: what it had sent before must not bring the blob back. Senders wait until they are asked for the bytes
 * (`Expect: 100-continue`), so what can still arrive is always known here.
 */
import type { BlobPage } from '../pool-client/protocol.ts';
import {
  type ExpectedBlob,
  type OpenBlob,
  type PageOfBlobs,
  type PutBlob,
  type Store,
  StoreError,
  type StoreTotals,
} from './store.ts';

export class FencedStore implements Store {
  readonly #store: Store;
  readonly #incoming = new Map<string, Set<Incoming>>();

  constructor(store: Store) {
    this.#store = store;
  }

  async put(key: string, body: AsyncIterable<Buffer>, expected?: ExpectedBlob): Promise<PutBlob> {
    const incoming = new Incoming();
    const siblings = this.#incoming.get(key) ?? new Set();
    this.#incoming.set(key, siblings.add(incoming));
    try {
      return await incoming.until(this.#store.put(key, incoming.through(body), expected));
    } finally {
      siblings.delete(incoming);
      if (siblings.size === 0 && this.#incoming.get(key) === siblings) this.#incoming.delete(key);
    }
  }

  async remove(key: string): Promise<boolean> {
    await Promise.all([...(this.#incoming.get(key) ?? [])].map((incoming) => incoming.cutOff()));
    return await this.#store.remove(key);
  }

  open(key: string): Promise<OpenBlob | undefined> {
    return this.#store.open(key);
  }

  list(page: PageOfBlobs): Promise<BlobPage> {
    return this.#store.list(page);
  }

  isEmpty(): Promise<boolean> {
    return this.#store.isEmpty();
  }

  totals(): StoreTotals {
    return this.#store.totals();
  }
}

/** A blob on its way in. */
class Incoming {
  #isCutOff = false;
  #isWhole = false;
  #stored: Promise<unknown> = Promise.resolve();

  async *through(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      this.#check();
      yield piece;
    }
    this.#check();
    this.#isWhole = true;
  }

  until<T>(stored: Promise<T>): Promise<T> {
    this.#stored = stored.catch(() => {});
    return stored;
  }

  /** What has come in as a whole is on its way to the disk, and is waited for: it is removed when it is there. */
  async cutOff(): Promise<void> {
    this.#isCutOff = true;
    if (this.#isWhole) await this.#stored;
  }

  #check(): void {
    if (this.#isCutOff) throw new StoreError('Stale', 'it was deleted while it came in');
  }
}
