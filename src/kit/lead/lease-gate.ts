/**
 * Knows for how long this process may still write. It closes by itself: nothing has to run for it to be closed, so a process that was
 * stopped and continues finds it closed, before any of its timers has fired.
 */
import type { Clock } from '../clock/clock.ts';
import type { WriteGate } from '../kube/caller.ts';

export class NotLeading extends Error {
  override readonly name = 'NotLeading';

  constructor() {
    super('this process can no longer be certain that it holds the lease, so it writes nothing');
  }
}

export class LeaseGate implements WriteGate {
  readonly #clock: Clock;
  #until: { readonly monotonic: number; readonly wall: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get open(): boolean {
    return this.openForMs > 0;
  }

  /** How long it stays open unless it is opened anew; nothing or less when it is closed. */
  get openForMs(): number {
    if (!this.#until) return 0;
    // A suspended machine stops the monotonic clock but not the time of day; a corrected clock moves only the latter.
    // Whichever of the two says that the time is over is believed.
    return Math.min(this.#until.monotonic - this.#clock.monotonic(), this.#until.wall - this.#clock.now().getTime());
  }

  check(): void {
    if (!this.open) throw new NotLeading();
  }

  /** Lets one write through if the gate is open, and closes it with that: from then on another may lead. For the release of the lease. */
  readonly lastWrite: WriteGate = {
    check: () => {
      this.check();
      this.close();
    },
  };

  /** Returns how to open the gate for a time that counts from now, also when it is called later. */
  fromNow(): (ms: number) => void {
    const monotonic = this.#clock.monotonic();
    const wall = this.#clock.now().getTime();
    return (ms) => {
      this.#until = { monotonic: monotonic + ms, wall: wall + ms };
    };
  }

  close(): void {
    this.#until = undefined;
  }
}
