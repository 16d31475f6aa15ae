/** A token bucket that spaces requests out. Off unless asked for: the API server's own fairness rules know its load better. */
import { type Clock, sleep } from '../clock/clock.ts';

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  /** When the next request may go, if they were spaced evenly; up to `burst` of them may go ahead of that. */
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limit: RateLimit) {
    if (!(limit.perSecond > 0) || !(limit.burst >= 1)) {
      throw new Error(`a rate limit needs perSecond > 0 and burst >= 1, not ${limit.perSecond} and ${limit.burst}`);
    }
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Resolves when the next request may be sent, in the order of the calls. */
  async take(signal?: AbortSignal): Promise<void> {
    const spacing = 1000 / this.#limit.perSecond;
    const now = this.#clock.monotonic();
    this.#nextAt = Math.max(this.#nextAt, now - (this.#limit.burst - 1) * spacing) + spacing;
    const wait = this.#nextAt - spacing - now;
    if (wait > 0) await sleep(this.#clock, wait, signal);
  }
}
