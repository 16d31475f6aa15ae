/** The object stores that resources name, each opened once. */
import type { Clock } from '../kit/clock/clock.ts';
import type { SyncMetrics } from './metrics.ts';
import { countedStore } from './store/counted-store.ts';
import type { ObjectStore } from './store/store.ts';

export interface StoresParts {
  readonly open: (provider: string) => Promise<ObjectStore>;
  readonly clock: Clock;
  readonly metrics: SyncMetrics;
}

export class Stores {
  readonly #parts: StoresParts;
  readonly #opened = new Map<string, Promise<ObjectStore>>();

  constructor(parts: StoresParts) {
    this.#parts = parts;
  }

  /** One that could not be opened is tried again the next time. */
  async of(provider: string): Promise<ObjectStore> {
    const name = provider.toLowerCase();
    const opening = this.#opened.get(name) ?? this.#open(name);
    this.#opened.set(name, opening);
    try {
      return await opening;
    } catch (error) {
      this.#opened.delete(name);
      throw error;
    }
  }

  async #open(name: string): Promise<ObjectStore> {
    return countedStore(await this.#parts.open(name), this.#parts);
  }
}
