/** A clock that stands still until it is moved. Timers fire in the order of their time, and at equal times in the order they were set. */
import type { Cancel, Clock } from './clock.ts';
import { TimerHeap } from './timer-heap.ts';

export class VirtualClock implements Clock {
  #elapsed = 0;
  #start: number;
  readonly #timers = new TimerHeap();

  constructor(start = new Date('2026-01-01T00:00:00Z')) {
    this.#start = start.getTime();
  }

  now(): Date {
    return new Date(this.#start + this.#elapsed);
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, call: () => void): Cancel {
    return this.#timers.add({ at: this.#elapsed + Math.max(0, ms), call });
  }

  /** How many timers wait to fire. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time on by `ms`, firing every timer that falls due, and lets the promises that they settle run in between. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await settled();
    for (let next = this.#timers.first; next && next.at <= until; next = this.#timers.first) {
      this.#timers.takeFirst();
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.call();
      await settled();
    }
    this.#elapsed = until;
  }

  /** Moves time on by `ms` without firing anything, as it passes for a process that was stopped. The next `advance` fires what is overdue. */
  leap(ms: number): void {
    this.#elapsed += ms;
  }

  /** Corrects the time of day. How long things take is not touched by that. */
  setNow(now: Date): void {
    this.#start = now.getTime() - this.#elapsed;
  }
}

/** Lets everything that is already due to run in this process run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
