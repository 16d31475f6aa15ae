/** A cap on how many different Events one object may have: many at once, then few. Without it a flapping object fills etcd. */
import type { Clock } from '../clock/clock.ts';
import { BoundedMap } from './bounded-map.ts';

export interface ObjectRate {
  readonly burst: number;
  /** One more is allowed each time that so long has passed. */
  readonly refillMs: number;
}

/** Those of client-go. */
export const DEFAULT_OBJECT_RATE: ObjectRate = { burst: 25, refillMs: 5 * 60_000 };

/** Objects that were quiet for the longest are forgotten first, and may then burst again. */
const MOST_OBJECTS = 4096;

export class ObjectRates {
  readonly #clock: Clock;
  readonly #rate: ObjectRate;
  /** When the next one would be due if they came evenly, by object. */
  readonly #nextMs = new BoundedMap<string, number>(MOST_OBJECTS);

  constructor(clock: Clock, rate: ObjectRate) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Whether one more is allowed now; if so it is counted. */
  take(object: string): boolean {
    const { burst, refillMs } = this.#rate;
    const now = this.#clock.monotonic();
    const fullSince = now - (burst - 1) * refillMs;
    const nextMs = Math.max(this.#nextMs.get(object) ?? fullSince, fullSince);
    if (nextMs > now) return false;
    this.#nextMs.set(object, nextMs + refillMs);
    return true;
  }
}
