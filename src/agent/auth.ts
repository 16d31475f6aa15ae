/** Who may ask: those who know the token. It is in a file that is replaced from time to time. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../kit/clock/clock.ts';
import { readToken } from '../kit/kube/token-file.ts';
import type { Log } from '../kit/observe/log.ts';

/** A token that was replaced is still taken for so long: not everybody has the new one at the same moment. */
const STILL_TAKEN_MS = 60_000;
const READ_EVERY_MS = 10_000;
/** Whoever comes with a wrong token has the file read, but not more often than this. */
const READ_AT_MOST_EVERY_MS = 1_000;

export interface TokensParts {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class Tokens {
  readonly #parts: TokensParts;
  #current: string;
  #before: { readonly token: string; readonly until: number } | undefined;
  #readAt: number;

  private constructor(parts: TokensParts, current: string) {
    this.#parts = parts;
    this.#current = current;
    this.#readAt = parts.clock.monotonic();
  }

  /** Rejects when there is no token to be had: an agent that was to be closed is not open instead. */
  static async open(parts: TokensParts): Promise<Tokens> {
    return new Tokens(parts, await readToken(parts.path));
  }

  /** The one to go to others with. */
  async current(): Promise<string> {
    await this.#readIfOlderThan(READ_EVERY_MS);
    return this.#current;
  }

  async allows(authorization: string | undefined): Promise<boolean> {
    await this.#readIfOlderThan(READ_EVERY_MS);
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (given === undefined) return false;
    if (this.#isKnown(given)) return true;
    await this.#readIfOlderThan(READ_AT_MOST_EVERY_MS);
    return this.#isKnown(given);
  }

  #isKnown(given: string): boolean {
    const before = this.#before && this.#parts.clock.monotonic() < this.#before.until ? this.#before.token : undefined;
    return isSame(given, this.#current) || (before !== undefined && isSame(given, before));
  }

  async #readIfOlderThan(ms: number): Promise<void> {
    const { path, clock, log } = this.#parts;
    if (clock.monotonic() - this.#readAt < ms) return;
    this.#readAt = clock.monotonic();
    try {
      this.#replace(await readToken(path));
    } catch (err) {
      log.warn({ err }, 'the token file cannot be read; the token that was in it stays');
    }
  }

  #replace(token: string): void {
    if (token === this.#current) return;
    this.#before = { token: this.#current, until: this.#parts.clock.monotonic() + STILL_TAKEN_MS };
    this.#current = token;
    this.#parts.log.info('there is another token in the token file; the one before is taken for another minute');
  }
}

/** In the same time whatever differs. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
