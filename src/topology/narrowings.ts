/**
 * Places that nobody is in any more are given up after a while only: a pod that is replaced is away for a moment, and its successor
 * could not come back to a zone that the volume no longer names.
 */
import type { Clock } from '../kit/clock/clock.ts';

interface Narrowing {
  readonly to: string;
  readonly since: number;
}

export class Narrowings {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #wanted = new Map<string, Narrowing>();

  constructor(clock: Clock, graceMs: number) {
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  /** For how long this must still be what is wanted of the volume; 0 when it has been for long enough. */
  pauseMs(volume: string, labels: Readonly<Record<string, string>>): number {
    const to = JSON.stringify(labels);
    const now = this.#clock.monotonic();
    const known = this.#wanted.get(volume);
    const since = known?.to === to ? known.since : now;
    this.#wanted.set(volume, { to, since });
    return Math.max(0, since + this.#graceMs - now);
  }

  /** Nothing is to be given up, or no longer. */
  forget(volume: string): void {
    this.#wanted.delete(volume);
  }
}
