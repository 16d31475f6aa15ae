/** Lets no more bytes pass in a second than it is told, without bursts. All that one wipe writes and reads passes here. */
import { type Clock, sleep } from '../clock/clock.ts';
import { ALIGNMENT_BYTES } from './course.ts';

/** A limit is kept to in steps of this part of a second. */
const STEPS = 4;

export class Pace {
  readonly #bandwidth: number | undefined;
  readonly #clock: Clock;
  #nextAt = 0;

  /** In bytes per second; without it, as fast as the device. */
  constructor(bandwidth: number | undefined, clock: Clock) {
    this.#bandwidth = bandwidth;
    this.#clock = clock;
  }

  /** As large as pieces may be, so that they come evenly. */
  most(bytes: number): number {
    if (this.#bandwidth === undefined) return bytes;
    const step = Math.floor(this.#bandwidth / STEPS / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    return Math.min(bytes, Math.max(step, ALIGNMENT_BYTES));
  }

  /** Resolves when it is the turn of so many more bytes. */
  async turn(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#bandwidth === undefined) return;
    const now = this.#clock.monotonic();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + (bytes / this.#bandwidth) * 1000;
    if (at > now) await sleep(this.#clock, at - now, signal);
  }
}
