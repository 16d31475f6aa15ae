/** Something that somebody else replaces from time to time without telling, such as a token in a file: it is read again when it is due. */
import type { Clock } from '../clock/clock.ts';

/** The kubelet replaces a token when a fifth of its life is left, which is at least two minutes. */
const READ_EVERY_MS = 10_000;

export class Reread<T> {
  readonly #clock: Clock;
  readonly #read: (refresh: boolean) => Promise<T>;
  #held: { readonly value: T } | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<T> | undefined;

  constructor(clock: Clock, read: (refresh: boolean) => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** At once, where nothing has to be read for it. With `refresh` what is held has turned out to be no good, and it is read again at once, once for all who say so at the same time. */
  get(refresh: boolean): T | Promise<T> {
    const isDue = this.#clock.monotonic() - this.#readAt >= READ_EVERY_MS;
    return this.#held && !isDue && !refresh ? this.#held.value : this.#anew(refresh);
  }

  async #anew(refresh: boolean): Promise<T> {
    this.#reading ??= this.#readAnew(refresh).finally(() => {
      this.#reading = undefined;
    });
    try {
      return await this.#reading;
    } catch (error) {
      // What cannot be read at this moment, because it is being replaced, does not make what we have worse.
      if (this.#held && !refresh) return this.#held.value;
      throw error;
    }
  }

  async #readAnew(refresh: boolean): Promise<T> {
    this.#readAt = this.#clock.monotonic();
    const value = await this.#read(refresh);
    this.#held = { value };
    return value;
  }
}
