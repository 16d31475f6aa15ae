/**
 * Calls to a store over a network: given up when they stall or when the caller has, tried again where that does no harm, and whatever
 * fails is a `StoreError`.
 */
import { backoffMs, type Random } from '../../kit/backoff.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import { orAborted } from '../../kit/clock/or-aborted.ts';
import { inUnits } from '../../kit/in-words.ts';
import { type Attempt, failure } from './failure.ts';
import { withoutUserinfo } from './remote-failure.ts';
import { hasFault, StoreError, type StoreFault } from './store.ts';

export interface Call extends Attempt {
  readonly signal: AbortSignal;
  /** Of what is sent. */
  readonly bytes?: number;
}

/** `alive` is to be called when something has come: only silence is a stall. */
export type Work<T> = (signal: AbortSignal, alive: () => void) => Promise<T>;

/** What an error of an SDK means. Without secrets. */
export type Explain = (error: unknown, call: Call) => { readonly fault: StoreFault; readonly why: string };

/** Nothing has come for so long, beyond what sending takes on a slow line. */
export const STALLED_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 64;
const TRIES = 3;
const AGAIN = { baseMs: 200, maxMs: 2_000 };

export class Calls {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #explain: Explain;

  constructor(clock: Clock, random: Random, explain: Explain) {
    this.#clock = clock;
    this.#random = random;
    this.#explain = explain;
  }

  /**
   * For what may not be done twice. A conditional write whose reply was lost has changed what its condition is about: a second try
   * would take our own success for somebody else's.
   */
  async once<T>(call: Call, work: Work<T>): Promise<T> {
    const limitMs = STALLED_MS + (call.bytes ?? 0) / SLOWEST_BYTES_PER_MS;
    using patience = new Patience(this.#clock, limitMs, call.signal);
    try {
      return await orAborted(patience.signal, work(patience.signal, patience.alive));
    } catch (error) {
      call.signal.throwIfAborted();
      if (error instanceof StoreError) throw error;
      if (patience.signal.aborted) throw failure('unavailable', call, `nothing has come for ${inUnits(limitMs)}`);
      const { fault, why } = this.#explain(error, call);
      throw failure(fault, call, why, { cause: bare(error) });
    }
  }

  /** For what changes nothing, or comes to the same when it is done twice. */
  async again<T>(call: Call, work: Work<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.once(call, work);
      } catch (error) {
        if (!hasFault(error, 'unavailable') || failures === TRIES) throw error;
      }
      await sleep(this.#clock, backoffMs(AGAIN, failures, this.#random), call.signal);
    }
  }
}

/** Without the request, which errors of SDKs carry with its signature and its tokens, and without the password of a proxy. */
function bare(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack } = error;
  return Object.assign(new Error(withoutUserinfo(message)), { name, stack: withoutUserinfo(stack ?? '') });
}

/** A signal that is aborted by silence, or with its parent. */
class Patience implements Disposable {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #parent: AbortSignal;
  #cancel = () => {};

  constructor(clock: Clock, limitMs: number, parent: AbortSignal) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#parent = parent;
    if (parent.aborted) this.#onParent();
    else parent.addEventListener('abort', this.#onParent, { once: true });
    this.alive();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly alive = (): void => {
    this.#cancel();
    this.#cancel = this.#clock.after(this.#limitMs, () => this.#controller.abort(new Error('it stalled')));
  };

  [Symbol.dispose](): void {
    this.#cancel();
    this.#parent.removeEventListener('abort', this.#onParent);
  }

  readonly #onParent = (): void => this.#controller.abort(this.#parent.reason);
}
