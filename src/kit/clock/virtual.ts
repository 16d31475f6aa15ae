/** A clock that stands still until it is moved. Timers fire in the order of their time, and at equal times in the order they were set. */
import type { Cancel, Clock } from './clock.ts';

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

export class VirtualClock implements Clock {
  #elapsed = 0;
  #start: number;
  readonly #timers = new Set<Timer>();

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
    const timer = { at: this.#elapsed + Math.max(0, ms), call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers wait to fire. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time on by `ms`, firing every timer that falls due, and lets the promises that they settle run in between. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await settled();
    for (let next = this.#earliest(); next && next.at <= until; next = this.#earliest()) {
      this.#timers.delete(next);
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

  #earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (!first || timer.at < first.at) first = timer;
    return first;
  }
}

/** Lets everything that is already due to run in this process run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
