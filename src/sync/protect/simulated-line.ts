/**
 * For tests: the way from a process to the store. Calls take time on it, so that those of several processes mix, and when the process
 * is killed it is never heard of again: not even an error reaches it.
 */
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import type { ObjectStore } from '../store/store.ts';

export interface KillAt {
  /** Counted from the next call on. */
  readonly call: number;
  /** Whether the call still happens. */
  readonly when: 'before' | 'after';
}

interface LineParts {
  readonly clock: Clock;
  /** How long each way takes. */
  readonly delayMs?: () => number;
}

export class SimulatedLine {
  readonly #parts: LineParts;
  #calls = 0;
  #killAt: (KillAt & { readonly first: number }) | undefined;
  #life = newLife();

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  get calls(): number {
    return this.#calls;
  }

  /** When the process of now is killed. */
  get death(): Promise<'killed'> {
    return this.#life.death.promise;
  }

  killAt(point: KillAt): void {
    this.#killAt = { ...point, first: this.#calls };
  }

  /** Whoever uses the line at the moment is gone. Whoever comes next is another one. */
  kill(): void {
    const life = this.#life;
    life.isOver = true;
    this.#killAt = undefined;
    this.#life = newLife();
    life.death.resolve('killed');
  }

  readonly through = (store: ObjectStore): ObjectStore => {
    const life = this.#life;
    const call = <T>(work: () => Promise<T>): Promise<T> => this.#call(life, work);
    return {
      description: store.description,
      get: (key, options) => call(() => store.get(key, options)),
      head: (key, options) => call(() => store.head(key, options)),
      put: (key, body, options) => call(() => store.put(key, body, options)),
      remove: (key, options) => call(() => store.remove(key, options)),
      async *list(prefix, options) {
        yield* await call(() => Array.fromAsync(store.list(prefix, options)));
      },
      close: () => store.close(),
    };
  };

  async #call<T>(life: Life, work: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    const mine = this.#calls;
    await this.#way(life, mine, 'before');
    const [result] = await Promise.allSettled([work()]);
    await this.#way(life, mine, 'after');
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  async #way(life: Life, call: number, when: KillAt['when']): Promise<void> {
    const { clock, delayMs } = this.#parts;
    if (delayMs) await sleep(clock, delayMs());
    const point = this.#killAt;
    if (point && !life.isOver && call - point.first === point.call && when === point.when) this.kill();
    if (life.isOver) await new Promise<never>(() => {});
  }
}

interface Life {
  isOver: boolean;
  readonly death: PromiseWithResolvers<'killed'>;
}

const newLife = (): Life => ({ isOver: false, death: Promise.withResolvers() });
