/**
 * Lets many who work on their own have done together what costs as much for all as for one: to look at the whole machine, or to give
 * one command many arguments. Who takes part and wants such a thing waits until everyone who takes part waits, or for as long as
 * patience lasts; then all requests of one kind are served at once.
 */
import type { Clock } from './clock/clock.ts';

export interface RoundsOptions {
  readonly clock: Clock;
  /** For those who are about to ask, when all who are there wait. */
  readonly settleMs?: number;
  /** The same, when somebody has come since the last service: who comes is seldom alone. Each who comes prolongs it, up to a few times that. */
  readonly gatherMs?: number;
  /** The longest that somebody waits for others who are busy. */
  readonly patienceMs?: number;
}

interface Desk {
  readonly isAsked: boolean;
  /** Serves all who wait by now; never rejects. */
  serve(): Promise<void>;
}

const DEFAULTS = { settleMs: 5, gatherMs: 50, patienceMs: 5_000 };
/** How often the time to gather can pass when somebody comes again and again. */
const MOST_GATHERINGS = 5;

export class Rounds {
  readonly #clock: Clock;
  readonly #settleMs: number;
  readonly #gatherMs: number;
  readonly #patienceMs: number;
  /** The first that is asked is served first. */
  readonly #desks: Desk[] = [];
  #present = 0;
  #waiting = 0;
  #isServing = false;
  #hasNewcomers = false;
  /** Since when somebody waits and others come. */
  #gathersSince: number | undefined;
  #cancelSettling: (() => void) | undefined;
  #cancelPatience: (() => void) | undefined;

  constructor({ clock, ...options }: RoundsOptions) {
    const { settleMs, gatherMs, patienceMs } = { ...DEFAULTS, ...options };
    this.#clock = clock;
    this.#settleMs = settleMs;
    this.#gatherMs = gatherMs;
    this.#patienceMs = patienceMs;
  }

  /** Takes part until it is disposed of: others wait for whoever takes part and does not wait. */
  join(): Disposable {
    this.#present += 1;
    this.#hasNewcomers = true;
    this.#consider(); // who is here by now is waited for
    let isHere = true;
    return {
      [Symbol.dispose]: () => {
        if (isHere) this.#present -= 1;
        isHere = false;
        this.#consider();
      },
    };
  }

  /** Work that takes so long that nobody should wait for who does it. To be called by one who takes part. */
  async away<T>(work: () => Promise<T>): Promise<T> {
    this.#present -= 1;
    this.#consider();
    try {
      return await work();
    } finally {
      this.#present += 1;
      this.#consider();
    }
  }

  /**
   * One kind of request, served for all who ask. `serve` gives an answer for each, in the same order; when it rejects, it does so for
   * all of them. Desks that were made first are served first. What takes long is only begun: who asked waits for it when it is `away`.
   */
  desk<I, O>(serve: (items: readonly I[]) => Promise<readonly O[]>): (item: I) => Promise<O> {
    let asked: { readonly item: I; readonly answer: PromiseWithResolvers<O> }[] = [];
    const counted = (change: number) => {
      this.#waiting += change;
    };
    this.#desks.push({
      get isAsked() {
        return asked.length > 0;
      },
      async serve() {
        const served = asked;
        asked = [];
        counted(-served.length);
        try {
          const answers = await serve(served.map(({ item }) => item));
          if (answers.length !== served.length)
            throw new Error(`${answers.length} answers were given to ${served.length} requests`);
          for (const [index, { answer }] of served.entries()) answer.resolve(answers[index] as O);
        } catch (error) {
          for (const { answer } of served) answer.reject(error);
        }
      },
    });
    return (item) => {
      const answer = Promise.withResolvers<O>();
      asked.push({ item, answer });
      this.#waiting += 1;
      this.#consider();
      return answer.promise;
    };
  }

  #consider(): void {
    if (this.#isServing || this.#waiting === 0) return;
    this.#cancelPatience ??= this.#clock.after(this.#patienceMs, () => this.#serve());
    this.#cancelSettling?.();
    const settleMs = this.#hasNewcomers ? this.#gatherForMs() : this.#settleMs;
    this.#cancelSettling = this.#waiting < this.#present ? undefined : this.#clock.after(settleMs, () => this.#serve());
  }

  /** Who comes every now and then must not keep the others waiting until patience ends. */
  #gatherForMs(): number {
    const now = this.#clock.monotonic();
    this.#gathersSince ??= now;
    const leftMs = this.#gathersSince + MOST_GATHERINGS * this.#gatherMs - now;
    return Math.max(0, Math.min(this.#gatherMs, leftMs));
  }

  async #serve(): Promise<void> {
    this.#cancelSettling?.();
    this.#cancelPatience?.();
    this.#cancelSettling = undefined;
    this.#cancelPatience = undefined;
    this.#isServing = true;
    this.#hasNewcomers = false;
    this.#gathersSince = undefined;
    await this.#desks.find(({ isAsked }) => isAsked)?.serve();
    this.#isServing = false;
    this.#consider();
  }
}
