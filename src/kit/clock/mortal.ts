/** The clock of one process. Who is dead is not called back; who is paused is, later. */
import type { Cancel, Clock } from './clock.ts';

export class MortalClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Cancel>();
  #isDead = false;
  #jumpedMs = 0;
  /** What fell due during a pause. */
  #held: (() => void)[] | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    const now = this.#clock.now();
    return this.#jumpedMs === 0 ? now : new Date(now.getTime() + this.#jumpedMs);
  }

  /** Somebody sets the time of day. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, call: () => void): Cancel {
    if (this.#isDead) return () => {};
    let isCancelled = false;
    const fire = () => {
      this.#timers.delete(cancel);
      if (this.#held) this.#held.push(() => !isCancelled && call());
      else call();
    };
    const stop = this.#clock.after(ms, fire);
    const cancel = () => {
      isCancelled = true;
      this.#timers.delete(cancel);
      stop();
    };
    this.#timers.add(cancel);
    return cancel;
  }

  pause(ms: number): void {
    if (this.#held || this.#isDead) return;
    this.#held = [];
    this.#clock.after(ms, () => this.#resume());
  }

  /** Resolves at once, or when a pause is over. */
  async awake(): Promise<void> {
    const held = this.#held;
    if (held) await new Promise<void>((resolve) => held.push(resolve));
  }

  die(): void {
    this.#isDead = true;
    this.#held = undefined;
    for (const cancel of [...this.#timers]) cancel();
  }

  /** One after the other: what follows from one happens before the next, as in a process that is woken up. */
  #resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const call of held) this.after(0, call);
  }
}
