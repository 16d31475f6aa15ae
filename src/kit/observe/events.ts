/**
 * Events: what people see in `kubectl describe` and `kubectl events`. To record one costs the caller nothing and never fails;
 * it is delivered in the background. What repeats is folded into one Event with a count, and no object may have too many.
 */

import type { Random } from '../backoff.ts';
import { aborted } from '../clock/aborted.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { KubeClient } from '../kube/client.ts';
import { labelKeyFault } from '../names.ts';
import { BoundedMap } from './bounded-map.ts';
import { fitted, fittedInstance, keyOf, namespaceOf, type Occurrence, objectKeyOf, type Reporter } from './event.ts';
import { type DropReason, type EventMetrics, uncounted } from './event-metrics.ts';
import { type Instant, Series } from './event-series.ts';
import { EventWriter } from './event-writer.ts';
import type { Log } from './log.ts';
import { DEFAULT_OBJECT_RATE, type ObjectRate, ObjectRates } from './object-rate.ts';

/** What a controller is given to tell people something. */
export interface EventRecorder {
  /** Returns at once and never throws. */
  record(occurrence: Occurrence): void;
}

export interface EventsOptions {
  /** Gated by leader election like all that writes: whoever no longer leads has nothing to say either. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: EventMetrics;
  /** Which process says so: the pod's name, or the host's. */
  readonly instance: string;
  readonly rate?: ObjectRate;
  /** How many may wait to be written. */
  readonly capacity?: number;
}

const DEFAULT_CAPACITY = 1000;
/** What is remembered in order to fold repetitions. */
const MOST_SERIES = 4096;
const FLUSH_MS = 5_000;

/** A series while it can still be repeated. */
interface Live {
  readonly key: string;
  readonly series: Series;
  /** The next look at it. */
  cancelTimer: Cancel;
}

export class Events {
  readonly name = 'the delivery of Events';
  readonly #options: EventsOptions;
  readonly #metrics: EventMetrics;
  readonly #writer: EventWriter;
  readonly #rates: ObjectRates;
  readonly #live: BoundedMap<string, Live>;
  /** What waits to be written, the oldest first. */
  readonly #queue = new Set<Live>();
  readonly #stop = new AbortController();
  #delivering: Promise<void> | undefined;

  constructor(options: EventsOptions) {
    const { clock, metrics = uncounted, rate = DEFAULT_OBJECT_RATE } = options;
    if (options.instance === '') throw new Error('Events need the name of the process that reports them');
    this.#options = options;
    this.#metrics = metrics;
    this.#writer = new EventWriter({ ...options, metrics });
    this.#rates = new ObjectRates(clock, rate);
    this.#live = new BoundedMap(MOST_SERIES, (live) => this.#finish(live));
  }

  /** For one controller, whose name people will see: `holdfast.io/topology`. */
  recorder(controller: string): EventRecorder {
    const fault = labelKeyFault(controller);
    if (fault !== undefined) throw new Error(`no Events can be reported by this controller: ${fault}`);
    const reporter = { controller, instance: fittedInstance(this.#options.instance) };
    return { record: (occurrence) => this.#record(reporter, occurrence) };
  }

  /** Writes out all that is not told yet, the last counts included. Resolves when that is done or the time is up. */
  async flush(withinMs: number): Promise<void> {
    for (const live of this.#live.values()) if (!live.series.isTold) this.#enqueue(live);
    const { promise: timeUp, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(withinMs, resolve);
    await Promise.race([this.#delivering, timeUp]);
    cancel();
  }

  /** The last flush. What is recorded afterwards is dropped. */
  async close(withinMs = FLUSH_MS): Promise<void> {
    await this.flush(withinMs);
    this.#stop.abort();
    for (const live of this.#live.values()) live.cancelTimer();
    await this.#delivering;
  }

  /** Delivers until the signal is aborted, and then what is left. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    await this.close();
  }

  #record(reporter: Reporter, occurrence: Occurrence): void {
    try {
      const drop = this.#accept(reporter, fitted(occurrence));
      if (drop) this.#metrics.dropped(drop);
    } catch (err) {
      this.#options.log.error({ err }, 'an Event could not be recorded');
    }
  }

  #accept(reporter: Reporter, occurrence: Occurrence): DropReason | undefined {
    const { capacity = DEFAULT_CAPACITY } = this.#options;
    if (this.#stop.signal.aborted) return 'shutdown';
    const key = keyOf(reporter, occurrence);
    if (this.#fold(key)) return undefined;
    if (!this.#writer.mayTry('create', namespaceOf(occurrence))) return 'forbidden';
    if (this.#queue.size >= capacity) return 'queue_full';
    if (!this.#rates.take(objectKeyOf(reporter, occurrence))) return 'rate';
    const live = { key, series: new Series(reporter, occurrence, this.#now()), cancelTimer: () => {} };
    this.#live.set(key, live);
    this.#schedule(live);
    return undefined;
  }

  /** Whether it is a repetition of something that is not over yet; if so it is counted there. */
  #fold(key: string): boolean {
    const live = this.#live.get(key);
    if (!live) return false;
    const now = this.#now();
    if (now.ms >= live.series.overMs) {
      this.#finish(live);
      return false;
    }
    live.series.repeat(now);
    this.#metrics.folded();
    this.#schedule(live);
    return true;
  }

  /** Has it written if that is due, or looks again when it is due or over. */
  #schedule(live: Live): void {
    const { clock } = this.#options;
    live.cancelTimer();
    const now = clock.monotonic();
    const { dueMs = Number.POSITIVE_INFINITY, overMs } = live.series;
    if (dueMs <= now) this.#enqueue(live);
    else if (overMs <= now) this.#finish(live);
    else live.cancelTimer = clock.after(Math.min(dueMs, overMs) - now, () => this.#schedule(live));
  }

  /** It is over: what the server does not know yet is told now, and the next of its kind is a new one. */
  #finish(live: Live): void {
    live.cancelTimer();
    if (this.#live.get(live.key) === live) this.#live.delete(live.key);
    if (!live.series.isTold) this.#enqueue(live);
  }

  #enqueue(live: Live): void {
    this.#queue.add(live);
    this.#delivering ??= this.#deliver();
  }

  /** One after another: an API server that cannot keep up is not helped by more at the same time. */
  async #deliver(): Promise<void> {
    await Promise.resolve(); // whoever records goes on first
    for (const live of this.#queue) {
      this.#queue.delete(live);
      await this.#write(live);
    }
    this.#delivering = undefined;
  }

  async #write(live: Live): Promise<void> {
    const { series, key } = live;
    const { signal } = this.#stop;
    if (series.isTold) return;
    const drop = signal.aborted ? 'shutdown' : await this.#tryToWrite(series);
    if (drop) {
      this.#metrics.dropped(drop);
      series.told(series.count, this.#options.clock.monotonic());
    }
    if (!series.stored) this.#finish(live);
    else if (this.#live.get(key) === live && !signal.aborted) this.#schedule(live);
  }

  /** Whatever is wrong with one Event, the next is delivered. */
  async #tryToWrite(series: Series): Promise<DropReason | undefined> {
    try {
      return await this.#writer.write(series, this.#stop.signal);
    } catch (err) {
      this.#options.log.error({ err }, 'an Event could not be written');
      return 'rejected';
    }
  }

  #now(): Instant {
    const { clock } = this.#options;
    return { date: clock.now(), ms: clock.monotonic() };
  }
}
