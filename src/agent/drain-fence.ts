/**
 * A blob that is removed while it comes in does not come in. The agent that sent it may have died, and started anew, and passed the
 * removal on to here: what it had sent before must not bring the blob back. Senders wait until they are asked for the bytes
 * (`Expect: 100-continue`), so what can still arrive is always known here.
 */
import { StoreError } from './store.ts';

export class Fence {
  readonly #incoming = new Map<string, Set<Incoming>>();

  /** `store` is called at once, and given the body to read instead of the one that comes in. */
  async coming<T>(
    key: string,
    body: AsyncIterable<Buffer>,
    store: (body: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    const incoming = new Incoming();
    const siblings = this.#incoming.get(key) ?? new Set();
    this.#incoming.set(key, siblings.add(incoming));
    try {
      return await incoming.until(store(incoming.through(body)));
    } finally {
      siblings.delete(incoming);
      if (siblings.size === 0 && this.#incoming.get(key) === siblings) this.#incoming.delete(key);
    }
  }

  /** Before the blob itself is removed: afterwards nothing that came in until now is stored any more. */
  async cutOff(key: string): Promise<void> {
    await Promise.all([...(this.#incoming.get(key) ?? [])].map((incoming) => incoming.cutOff()));
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
