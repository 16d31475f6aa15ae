/**
 * Runs `reconcile` for each key that its sources name, one worker per key, and decides by the outcome when the key comes again.
 * A reconcile that throws, hangs or takes too long harms neither the other keys nor the process.
 */
import type { Random } from '../backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import { ApiError } from '../kube/api-error.ts';
import { ConnectionError } from '../kube/transport.ts';
import { NotLeading } from '../lead/lease-gate.ts';
import type { Log } from '../observe/log.ts';
import { WorkQueue } from '../queue/queue.ts';
import type { QueueMetrics } from '../queue/queue-metrics.ts';
import { type ControllerMetrics, type ReconcileResult, uncounted } from './controller-metrics.ts';
import { done, type Outcome, Refuse, Retry, Stalled, Wait } from './outcome.ts';
import type { Source } from './sources.ts';

export interface ControllerSettings {
  readonly name: string;
  /** Looks at the world through the caches and makes what `key` names right. Never trusts the event that brought the key. */
  readonly reconcile: (key: string, context: ReconcileContext) => Promise<Outcome | undefined>;
  readonly sources: readonly Source[];
  /** How many keys are worked on at the same time. */
  readonly concurrency?: number;
  /** The context's signal is aborted after this long. */
  readonly deadlineMs?: number;
}

export interface ReconcileContext {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ControllerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly queueMetrics?: QueueMetrics;
}

const DEFAULTS = { concurrency: 4, deadlineMs: 120_000 };

export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #settings: ControllerSettings & typeof DEFAULTS;
  readonly #parts: ControllerParts;
  readonly #metrics: ControllerMetrics;
  readonly #log: Log;
  readonly #givenUp = new AbortController();
  #active = 0;

  constructor(settings: ControllerSettings, parts: ControllerParts) {
    this.name = settings.name;
    this.#settings = { ...DEFAULTS, ...settings };
    this.#parts = parts;
    this.#metrics = parts.metrics ?? uncounted;
    this.#log = parts.log.child({ controller: settings.name });
    const { clock, random, queueMetrics } = parts;
    this.queue = new WorkQueue({ clock, random, ...(queueMetrics && { metrics: queueMetrics }) });
  }

  /** Works until the signal is aborted, then finishes what has begun; unless we no longer lead: then that is given up, too. */
  async run(signal: AbortSignal): Promise<void> {
    this.#metrics.concurrency(this.#settings.concurrency);
    const stops = this.#settings.sources.map((source) => source((key) => this.queue.add(key)));
    const close = () => {
      for (const stop of stops) stop();
      this.queue.close();
      if (signal.reason instanceof NotLeading) this.#givenUp.abort(signal.reason);
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    await Promise.all(Array.from({ length: this.#settings.concurrency }, () => this.#work()));
  }

  async #work(): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      this.#metrics.active(++this.#active);
      await this.#one(key);
      this.#metrics.active(--this.#active);
      this.queue.done(key);
    }
  }

  async #one(key: string): Promise<void> {
    const { clock } = this.#parts;
    const log = this.#log.child({ key });
    const started = clock.monotonic();
    const { deadlineMs } = this.#settings;
    const limit = deadline(
      clock,
      deadlineMs,
      () => new Retry(`it took longer than ${deadlineMs / 1000} s`),
      this.#givenUp.signal,
    );
    let result: ReconcileResult;
    try {
      const context = { signal: limit.signal, clock, log };
      result = this.#succeeded(key, (await this.#settings.reconcile(key, context)) ?? done);
    } catch (error) {
      result = this.#failed(key, error, log);
    } finally {
      limit.cancel();
    }
    this.#metrics.reconciled(result, (clock.monotonic() - started) / 1000);
  }

  #succeeded(key: string, outcome: Outcome): ReconcileResult {
    this.queue.forget(key);
    if (outcome.kind === 'done') return 'success';
    this.queue.addAfter(key, outcome.ms);
    return 'requeue_after';
  }

  #failed(key: string, error: unknown, log: Log): ReconcileResult {
    if (error instanceof Wait) {
      this.queue.forget(key);
      this.queue.addAfter(key, error.recheckMs);
      log.info({ why: error.message }, 'waiting');
      return 'wait';
    }
    if (error instanceof Stalled) {
      this.queue.forget(key);
      log.warn({ why: error.message }, 'stalled until the object changes');
      return 'stalled';
    }
    if (error instanceof Refuse) {
      this.queue.forget(key);
      this.queue.addAfter(key, error.recheckMs);
      log.warn({ fact: error.fact, why: error.message }, 'refused');
      return 'refused';
    }
    return this.#retry(key, error, log);
  }

  #retry(key: string, error: unknown, log: Log): ReconcileResult {
    this.queue.addAfterFailure(key);
    const failures = this.queue.failuresOf(key);
    if (isExpected(error)) log.info({ why: error.message, failures }, 'failed: trying again');
    else {
      this.#metrics.panicked();
      log.error({ err: error, failures }, 'an unexpected error: trying again');
    }
    return 'retry';
  }
}

/** What the world does to us, as opposed to a defect of our own. */
const isExpected = (error: unknown): error is Error =>
  error instanceof Retry ||
  error instanceof ApiError ||
  error instanceof ConnectionError ||
  error instanceof NotLeading ||
  (error instanceof Error && error.name === 'AbortError');
