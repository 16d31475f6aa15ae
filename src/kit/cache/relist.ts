/** A whole collection as it comes in, in place of what a sink held of it before. */
import type { Clock } from '../clock/clock.ts';
import { type KubeObject, keyOfObject } from '../kube/resource.ts';
import type { ReflectorMetrics } from './reflector-metrics.ts';

/** Where the objects go. Nothing that it is given makes it throw: one object must not keep the next from coming. */
export interface Sink<T extends KubeObject> {
  put(object: T): void;
  remove(key: string): void;
  versionOf(key: string): string | undefined;
  keys(): Iterable<string>;
}

/** Receives a whole collection and then removes from the sink what was not in it. */
export class Relist<T extends KubeObject> {
  readonly #sink: Sink<T>;
  readonly #how: 'stream' | 'pages';
  readonly #clock: Clock;
  readonly #started: number;
  readonly #unseen: Set<string>;
  #received = 0;

  constructor(sink: Sink<T>, how: 'stream' | 'pages', clock: Clock) {
    this.#sink = sink;
    this.#how = how;
    this.#clock = clock;
    this.#started = clock.monotonic();
    this.#unseen = new Set(sink.keys());
  }

  put(object: T): void {
    this.#received += 1;
    this.#unseen.delete(keyOfObject(object));
    this.#sink.put(object);
  }

  remove(object: T): void {
    this.#unseen.delete(keyOfObject(object));
    this.#sink.remove(keyOfObject(object));
  }

  finish(metrics: ReflectorMetrics): void {
    for (const key of this.#unseen) this.#sink.remove(key);
    metrics.listed(this.#how, this.#received, (this.#clock.monotonic() - this.#started) / 1000);
    metrics.objects(this.#received);
  }
}
