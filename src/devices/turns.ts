/** One at a time for each name, in the order in which they asked. */
import { Slots } from '../kit/slots.ts';

export class Turns {
  readonly #asked = new Map<string, { readonly slots: Slots; count: number }>();

  /** Resolves when it is the turn of the caller, which is over when it is disposed of. Rejects when the signal is aborted before. */
  async take(name: string, signal: AbortSignal): Promise<Disposable> {
    const asked = this.#asked.get(name) ?? { slots: new Slots(1), count: 0 };
    this.#asked.set(name, asked);
    asked.count += 1;
    const forget = () => {
      asked.count -= 1;
      if (asked.count === 0) this.#asked.delete(name);
    };
    try {
      const slot = await asked.slots.take(signal);
      return {
        [Symbol.dispose]: () => {
          slot[Symbol.dispose]();
          forget();
        },
      };
    } catch (error) {
      forget();
      throw error;
    }
  }
}
