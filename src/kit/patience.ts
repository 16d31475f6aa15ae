/**
 * Bounds how long a look at something of the machine is waited for. A system call that hangs, on a disk or a network filesystem that
 * does not answer, cannot be cancelled: it keeps a thread of the process until it ends by itself. So nothing is asked a second time
 * while it has not answered the first, and when too many hang nothing is asked at all: the other threads are for files of our own, and
 * for devices that do answer.
 */
import type { Clock } from './clock/clock.ts';
import type { OpenDevice } from './host/block-device.ts';
import { settlesWithin } from './host/settles-within.ts';
import { hangsToBear } from './wipe/thread-pool.ts';

/** What was looked at has not answered, and may still do so. */
export class DoesNotAnswer extends Error {
  override readonly name = 'DoesNotAnswer';
  /** Nothing, where it was not even asked since too many others do not answer. */
  readonly forMs: number | undefined;

  constructor(what: string, forMs: number | undefined) {
    super(
      forMs === undefined
        ? `so many other things do not answer that ${what} was not looked at`
        : `${what} has not answered for ${Math.round(forMs / 1000)} seconds`,
    );
    this.forMs = forMs;
  }
}

export interface Asked<T> {
  readonly withinMs: number;
  /** Called when it was given up and has ended after all, with what it came to, if that is anything; at once where it was not begun. */
  readonly putAway?: (late: T | undefined) => unknown;
}

export class Patience {
  readonly #clock: Clock;
  readonly #most: number;
  /** What has not answered, and since when it was asked. */
  readonly #hanging = new Map<string, number>();
  readonly #shared = new Map<string, Promise<unknown>>();

  constructor(clock: Clock, most = hangsToBear()) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Whether it was given up, and has not ended since. */
  isHanging(what: string): boolean {
    return this.#hanging.has(what);
  }

  /** Rejects with `DoesNotAnswer` when it takes longer than that, or is known not to answer. */
  async ask<T>(what: string, look: () => Promise<T>, { withinMs, putAway = () => {} }: Asked<T>): Promise<T> {
    const since = this.#hanging.get(what);
    if (since !== undefined || this.#hanging.size >= this.#most) {
      putAway(undefined);
      throw new DoesNotAnswer(what, since === undefined ? undefined : this.#clock.monotonic() - since);
    }
    return await this.wait(what, look(), { withinMs, putAway });
  }

  /** The same for all who ask it at the same time: what does not answer keeps one of them waiting, and one thread. */
  share<T>(what: string, look: () => Promise<T>, { withinMs }: Pick<Asked<T>, 'withinMs'>): Promise<T> {
    const underWay = this.#shared.get(what);
    if (underWay) return underWay as Promise<T>;
    const answer = this.ask(what, look, { withinMs }).finally(() => this.#shared.delete(what));
    this.#shared.set(what, answer);
    return answer;
  }

  /** The same for something that has begun already, and must not be left out. */
  async wait<T>(what: string, answer: Promise<T>, { withinMs, putAway = () => {} }: Asked<T>): Promise<T> {
    const since = this.#clock.monotonic();
    if (await settlesWithin(this.#clock, withinMs, answer)) return await answer;
    this.#hanging.set(what, since);
    const ended = (late?: T) => {
      this.#hanging.delete(what);
      putAway(late);
    };
    answer.then(ended, () => ended());
    throw new DoesNotAnswer(what, withinMs);
  }
}

/** Also that can hang. What is to be known of the device is known by then, and the next look at it tells that it does not answer. */
export async function closeSoon(device: OpenDevice, patience: Patience, withinMs: number): Promise<void> {
  try {
    await patience.wait(device.path, device.close(), { withinMs });
  } catch (error) {
    if (!(error instanceof DoesNotAnswer)) throw error;
  }
}
