/** How long a pool is asked again: with growing pauses, until an agent that starts anew would have come back. */
import { type Backoff, backoffMs, type Random } from '../kit/backoff.ts';
import { type Clock, sleep } from '../kit/clock/clock.ts';

const BACKOFF: Backoff = { baseMs: 100, maxMs: 2_000 };

export interface PatienceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

export class Patience {
  readonly #options: PatienceOptions;
  #since: number;
  #failures = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.#since = options.clock.monotonic();
  }

  /** Waits before the next try; throws the failure when there was none that helped for too long. */
  async after(failure: Error): Promise<void> {
    const { clock, random, patienceMs, signal } = this.#options;
    if (clock.monotonic() - this.#since >= patienceMs) throw failure;
    this.#failures += 1;
    await sleep(clock, backoffMs(BACKOFF, this.#failures, random), signal);
  }

  /** Something went on: from here it has as much time again. */
  renew(): void {
    this.#since = this.#options.clock.monotonic();
    this.#failures = 0;
  }
}
