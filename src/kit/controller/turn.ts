/** One key's turn with a worker. Its signal and its log are made when they are asked for: most turns find nothing to do and need neither. */
import type { Clock } from '../clock/clock.ts';
import { type Deadline, deadline } from '../clock/deadline.ts';
import type { Log } from '../observe/log.ts';
import { Retry } from './outcome.ts';

export interface ReconcileContext {
  /**
   * Aborted when the deadline is over, when we no longer lead, and when the process ends and cannot wait any longer. Made when it is
   * first asked for: a reconcile that mostly finds nothing to do asks for it only once there is something.
   */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

export interface TurnOptions {
  readonly key: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly deadlineMs: number;
  /** Aborted when nothing that has begun may go on. */
  readonly givenUp: AbortSignal;
}

export class Turn implements ReconcileContext {
  readonly clock: Clock;
  readonly #options: TurnOptions;
  readonly #startedAt: number;
  #limit: Deadline | undefined;
  #log: Log | undefined;
  #hasEnded = false;

  constructor(options: TurnOptions) {
    this.clock = options.clock;
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  get signal(): AbortSignal {
    this.#limit ??= this.#deadline();
    return this.#limit.signal;
  }

  get log(): Log {
    this.#log ??= this.#options.log.child({ key: this.#options.key });
    return this.#log;
  }

  get elapsedMs(): number {
    return this.clock.monotonic() - this.#startedAt;
  }

  get isOverdue(): boolean {
    return this.elapsedMs >= this.#options.deadlineMs;
  }

  end(): void {
    this.#hasEnded = true;
    this.#limit?.cancel();
  }

  #deadline(): Deadline {
    const { clock, deadlineMs, givenUp } = this.#options;
    const reason = () => new Retry(`it took longer than ${deadlineMs / 1000} s`);
    if (this.isOverdue && !this.#hasEnded) return { signal: AbortSignal.abort(reason()), cancel() {} };
    const limit = deadline(clock, deadlineMs - this.elapsedMs, reason, givenUp);
    if (this.#hasEnded) limit.cancel();
    return limit;
  }
}
