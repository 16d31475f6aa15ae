/** Notices that something stands still: calls back when it was told of no progress for too long while it was on guard. */
import type { Cancel, Clock } from '../kit/clock/clock.ts';

export class Watchdog {
  readonly #clock: Clock;
  readonly #bark: (ms: number) => void;
  #ms = 0;
  #since = 0;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, bark: (ms: number) => void) {
    this.#clock = clock;
    this.#bark = bark;
  }

  /** On guard from now on; also: there was progress. A timer is set once for many pieces of progress. */
  guard(ms: number): void {
    this.#since = this.#clock.monotonic();
    if (this.#ms !== ms) this.rest();
    this.#ms = ms;
    this.#cancel ??= this.#clock.after(ms, () => this.#look());
  }

  rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #look(): void {
    this.#cancel = undefined;
    const left = this.#since + this.#ms - this.#clock.monotonic();
    if (left <= 0) this.#bark(this.#ms);
    else this.#cancel = this.#clock.after(left, () => this.#look());
  }
}
