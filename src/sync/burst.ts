/** Changes that come close together, so that what follows from them is done once: when they have ended, or when they go on for too long. */
import type { Clock } from '../kit/clock/clock.ts';
import { CEILING_MS, QUIET_MS } from './contract.ts';

export class Burst {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #first: number | undefined;
  #last = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Something has changed. */
  note(): void {
    this.#last = this.#clock.monotonic();
    this.#first ??= this.#last;
  }

  get isUnderWay(): boolean {
    return this.#first !== undefined;
  }

  /** How long to wait until what has changed is to be dealt with: nothing left when that is now, or when nothing has changed. */
  get waitMs(): number {
    if (this.#first === undefined) return 0;
    const now = this.#clock.monotonic();
    return Math.max(0, Math.min(this.#last + QUIET_MS - now, this.#first + CEILING_MS - now));
  }

  /** What has changed by now is about to be dealt with; what changes from here on is the next one. */
  take(): void {
    this.#first = undefined;
  }
}
