/** A bearer token that lives in a file which somebody else replaces from time to time, as the kubelet does with service account tokens. */
import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';

/** The kubelet replaces a token when a fifth of its life is left, which is at least two minutes. */
const READ_EVERY_MS = 10_000;

export class TokenFile {
  readonly #path: string;
  readonly #clock: Clock;
  #token: Promise<string> | undefined;
  #readAt = 0;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** The token, read again when it is due or when the server did not accept the last one. */
  async read(refresh: boolean): Promise<string> {
    const before = this.#token;
    if (before && !refresh && this.#clock.monotonic() - this.#readAt < READ_EVERY_MS) return before;
    this.#readAt = this.#clock.monotonic();
    const reading = this.#load();
    // A file that cannot be read at this moment (it is being replaced) does not make the token that we have worse.
    this.#token = before ? reading.catch(() => before) : reading;
    return this.#token.catch((error: unknown) => {
      this.#token = undefined;
      throw error;
    });
  }

  async #load(): Promise<string> {
    const token = (await readFile(this.#path, 'utf8')).trim();
    if (token === '') throw new Error(`the token file ${this.#path} is empty`);
    return token;
  }
}
