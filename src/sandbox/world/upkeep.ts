/**
 * How a controller of the world works: it is told of keys, and looks at each a moment later, however often it was told. What it looks
 * at is the cluster itself, so that what it decides is never out of date.
 */
import type { Random } from '../../kit/backoff.ts';
import type { Cancel, Clock } from '../../kit/clock/clock.ts';
import { type KubeObject, keyOfObject, type Resource } from '../../kit/kube/resource.ts';
import { Refusal } from '../server/refusals.ts';
import type { Objects } from '../store/objects.ts';

export interface WorldParts {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly random: Random;
}

/** Controllers of a cluster react within milliseconds, and never in the same moment. */
const SOONEST_MS = 2;
const LATEST_MS = 30;
/** After the server has refused something. */
const AGAIN_MS = 1_000;

export class Upkeep {
  readonly #parts: WorldParts;
  readonly #look: (key: string) => void;
  readonly #due = new Map<string, { readonly at: number; readonly cancel: Cancel }>();
  readonly #stops: (() => void)[] = [];

  constructor(parts: WorldParts, look: (key: string) => void) {
    this.#parts = parts;
    this.#look = look;
  }

  /** Each object of the resource names keys, now and whenever it changes. */
  watch<T extends KubeObject>(resource: Resource<T>, keysOf: (object: T, key: string) => Iterable<string>): this {
    const { objects } = this.#parts;
    for (const object of objects.list(resource)) this.#addAll(keysOf(object, keyOfObject(object)));
    this.#stops.push(
      objects.onChange(resource, ({ object, old, key }) => {
        this.#addAll(keysOf(object, key));
        if (old && old !== object) this.#addAll(keysOf(old, key));
      }),
    );
    return this;
  }

  /** A key that waits already has its turn at whichever time is earlier. */
  add(key: string, ms = this.#moment()): void {
    const { clock } = this.#parts;
    const at = clock.monotonic() + ms;
    const waiting = this.#due.get(key);
    if (waiting && waiting.at <= at) return;
    waiting?.cancel();
    this.#due.set(key, { at, cancel: clock.after(ms, () => this.#turn(key)) });
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    for (const { cancel } of this.#due.values()) cancel();
    this.#due.clear();
  }

  #turn(key: string): void {
    this.#due.delete(key);
    try {
      this.#look(key);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.add(key, AGAIN_MS);
    }
  }

  #addAll(keys: Iterable<string>): void {
    for (const key of keys) this.add(key);
  }

  #moment(): number {
    return SOONEST_MS + Math.floor(this.#parts.random() * (LATEST_MS - SOONEST_MS));
  }
}
