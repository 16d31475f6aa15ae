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

  /** Whether one may be sent now; if so, it counts. */
  tryTake(): boolean {
    const now = this.#clock.monotonic();
    const due = this.#due(now);
    if (due > now) return false;
    this.#nextAt = due + this.#spacing;
    return true;
  }

  /** Resolves when the next request may be sent, in the order of the calls. */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    const due = this.#due(now);
    this.#nextAt = due + this.#spacing;
    const wait = due - now;
    if (wait > 0) await sleep(this.#clock, wait, signal);
  }

  get #spacing(): number {
    return 1000 / this.#limit.perSecond;
  }

  /** When the next one may go; before now where some of the burst is left. */
  #due(now: number): number {
    return Math.max(this.#nextAt, now - (this.#limit.burst - 1) * this.#spacing);
  }
}
