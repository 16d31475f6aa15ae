/**
 * Keys that wait for work. A key is in the queue at most once and is worked on by at most one worker; a key that is added while it is
 * worked on comes again afterwards, at the end of the line, so that a busy key cannot starve the others.
 */
import { type Backoff, backoffMs, type Random } from '../backoff.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import { Line } from '../line.ts';
import { type QueueMetrics, uncounted } from './queue-metrics.ts';

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: Backoff;
  readonly metrics?: QueueMetrics;
}

interface Delayed {
  readonly at: number;
  readonly cancel: Cancel;
}

const BACKOFF: Backoff = { baseMs: 200, maxMs: 300_000 };

export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: Backoff;
  readonly #metrics: QueueMetrics;
  /** In line, oldest first, with the time at which each was added. */
  readonly #waiting = new Line<string, number>();
  /** With a worker, and since when. */
  readonly #working = new Map<string, number>();
  /** With a worker, and added again meanwhile. */
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #idle: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor(options: QueueOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#backoff = options.backoff ?? BACKOFF;
    this.#metrics = options.metrics ?? uncounted;
    this.#metrics.probe(() => this.#look());
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** How many keys wait for a time to come. */
  get delayed(): number {
    return this.#delayed.size;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#undelay(key);
    if (this.#waiting.has(key)) return;
    if (this.#working.has(key)) {
      if (!this.#again.has(key)) this.#metrics.added();
      this.#again.add(key);
      return;
    }
    this.#metrics.added();
    this.#waiting.join(key, this.#clock.monotonic());
    this.#handOut();
  }

  /** Adds the key after a while. Of several delays the earliest wins, and a plain `add` wins over all. */
  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    this.#metrics.retried();
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const at = this.#clock.monotonic() + ms;
    const known = this.#delayed.get(key);
    if (known && known.at <= at) return;
    known?.cancel();
    this.#delayed.set(key, { at, cancel: this.#clock.after(ms, () => this.add(key)) });
  }

  /** Adds the key after a delay that grows with its failures in a row, and is at least as long as somebody asked for. */
  addAfterFailure(key: string, atLeastMs = 0): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const asked = Math.min(atLeastMs, this.#backoff.maxMs);
    this.addAfter(key, Math.max(asked, backoffMs(this.#backoff, failures, this.#random)));
  }

  /** The key succeeded: its next failure is its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, as soon as there is one; nothing when the queue is closed. Each key taken must be given back with `done`. */
  take(): Promise<string | undefined> {
    if (this.#waiting.size > 0 || this.#closed) return Promise.resolve(this.#begin());
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  done(key: string): void {
    const since = this.#working.get(key);
    if (since === undefined) throw new Error(`key "${key}" was given back, but no worker has it`);
    this.#working.delete(key);
    this.#metrics.worked((this.#clock.monotonic() - since) / 1000);
    if (this.#again.delete(key)) {
      this.#waiting.join(key, this.#clock.monotonic());
      this.#handOut();
    }
  }

  /** No key comes in or out any more. Keys that workers have are finished as usual. */
  close(): void {
    this.#closed = true;
    this.#waiting.clear();
    this.#again.clear();
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const resolve of this.#idle.splice(0)) resolve(undefined);
  }

  #handOut(): void {
    this.#idle.shift()?.(this.#begin());
  }

  #begin(): string | undefined {
    const [key, since = 0] = this.#waiting.next() ?? [];
    if (key === undefined) return undefined;
    const now = this.#clock.monotonic();
    this.#metrics.waited((now - since) / 1000);
    this.#working.set(key, now);
    return key;
  }

  #undelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  #look() {
    const now = this.#clock.monotonic();
    const running = [...this.#working.values()].map((since) => (now - since) / 1000);
    return {
      depth: this.#waiting.size,
      unfinishedSeconds: running.reduce((sum, each) => sum + each, 0),
      longestRunningSeconds: Math.max(0, ...running),
    };
  }
}
