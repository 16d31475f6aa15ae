/** One key's turn with a worker. Its signal and its log are made when they are asked for: most turns find nothing to do and need neither. */
import type { Clock } from '../clock/clock.ts';
import { type Deadline, deadline } from '../clock/deadline.ts';
import type { Log } from '../observe/log.ts';
import { Retry } from './outcome.ts';

export interface ReconcileContext {
  /** Aborted when the deadline is over. What asks for it first thing pays for it also when there is nothing to do. */
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
    this.#limit?.cancel();
  }

  #deadline(): Deadline {
    const { clock, deadlineMs, givenUp } = this.#options;
    const reason = () => new Retry(`it took longer than ${deadlineMs / 1000} s`);
    return deadline(clock, Math.max(0, deadlineMs - this.elapsedMs), reason, givenUp);
  }
}
