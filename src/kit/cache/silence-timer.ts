/** Notices a stream on which nothing comes any more. */
import type { Clock } from '../clock/clock.ts';

/** Aborts its signal when nothing has been heard for too long. */
export class SilenceTimer {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #controller = new AbortController();
  #cancel: () => void;
  #heardAt: number;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.#heardAt = clock.monotonic();
    this.#cancel = clock.after(ms, () => this.#look());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Only notes the time: setting a timer anew for each batch would cost more than the batch. */
  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const left = this.#heardAt + this.#ms - this.#clock.monotonic();
    if (left <= 0) this.#controller.abort(new Error('silence'));
    else this.#cancel = this.#clock.after(left, () => this.#look());
  }
}
