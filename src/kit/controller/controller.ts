/**
 * Runs `reconcile` for each key that its sources name, one worker per key, and decides by the outcome when the key comes again.
 * A reconcile that throws or takes too long harms neither the other keys nor the process; one that never ends keeps its worker, and
 * `stuck` says when there is no other left.
 */
import type { Random } from '../backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { ApiError } from '../kube/api-error.ts';
import { ConnectionError } from '../kube/transport.ts';
import { NotLeading } from '../lead/lease-gate.ts';
import type { Log } from '../observe/log.ts';
import { WorkQueue } from '../queue/queue.ts';
import type { QueueMetrics } from '../queue/queue-metrics.ts';
import { type ControllerMetrics, type ReconcileResult, uncounted } from './controller-metrics.ts';
import { done, type Outcome, Refuse, Retry, Stalled, Wait } from './outcome.ts';
import type { Source } from './sources.ts';
import { type ReconcileContext, Turn } from './turn.ts';

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

export interface ControllerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly queueMetrics?: QueueMetrics;
}

const DEFAULTS = { concurrency: 4, deadlineMs: 120_000 };
/** How long what has begun may take after the stop, before its signal is aborted. The rest of the 25 s is for the last Events and the lease. */
const FINISH_MS = 15_000;
/** Keys that need no answer from anywhere would otherwise keep everything else waiting until the last of them is done. */
const KEYS_IN_A_ROW = 32;

export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #settings: ControllerSettings & typeof DEFAULTS;
  readonly #parts: ControllerParts;
  readonly #metrics: ControllerMetrics;
  readonly #log: Log;
  readonly #givenUp = new AbortController();
  /** Of the keys that are being worked on. */
  readonly #running = new Set<Turn>();
  #inARow = 0;
  #turn: Promise<void> | undefined;

  constructor(settings: ControllerSettings, parts: ControllerParts) {
    this.name = settings.name;
    this.#settings = { ...DEFAULTS, ...settings };
    this.#parts = parts;
    this.#metrics = parts.metrics ?? uncounted;
    this.#log = parts.log.child({ controller: settings.name });
    const { clock, random, queueMetrics } = parts;
    this.queue = new WorkQueue({ clock, random, ...(queueMetrics && { metrics: queueMetrics }) });
  }

  /**
   * Works until the signal is aborted, then finishes what has begun. That is given up when it takes too long, and at once when we no
   * longer lead.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { concurrency, sources } = this.#settings;
    let cancelGivingUp = () => {};
    this.#metrics.concurrency(concurrency);
    const stops = sources.map((source) => source((key) => this.queue.add(key)));
    const close = () => {
      for (const stop of stops) stop();
      this.queue.close();
      if (signal.reason instanceof NotLeading) this.#givenUp.abort(signal.reason);
      else
        cancelGivingUp = this.#parts.clock.after(FINISH_MS, () => this.#givenUp.abort(new Retry('the process ends')));
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    await Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    cancelGivingUp();
  }

  /** Nothing, or the sentence that says that no key gets its turn any more, because no reconcile ends when its time is over. */
  stuck(): readonly string[] {
    const { concurrency, deadlineMs } = this.#settings;
    const overdue = [...this.#running].filter((turn) => turn.isOverdue).length;
    if (overdue < concurrency) return [];
    return [`all workers of ${this.name} are with keys that take longer than ${deadlineMs / 1000} s`];
  }

  async #work(): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      await this.#one(key);
      this.queue.done(key);
      await this.#letOthersRun();
    }
  }

  /** All workers wait for the same turn of the event loop: each for its own would make as many keys in a row as there are workers. */
  #letOthersRun(): Promise<void> | undefined {
    this.#inARow += 1;
    if (this.#inARow >= KEYS_IN_A_ROW) this.#turn ??= this.#nextTurn();
    return this.#turn;
  }

  async #nextTurn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#inARow = 0;
    this.#turn = undefined;
  }

  async #one(key: string): Promise<void> {
    const { deadlineMs, reconcile } = this.#settings;
    const givenUp = this.#givenUp.signal;
    const turn = new Turn({ key, clock: this.#parts.clock, log: this.#log, deadlineMs, givenUp });
    let result: ReconcileResult;
    this.#running.add(turn);
    this.#metrics.active(this.#running.size);
    try {
      result = this.#succeeded(key, (await reconcile(key, turn)) ?? done);
    } catch (error) {
      result = this.#failed(key, error, turn.log);
    } finally {
      turn.end();
      this.#running.delete(turn);
      this.#metrics.active(this.#running.size);
    }
    this.#metrics.reconciled(result, turn.elapsedMs / 1000);
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
    this.queue.addAfterFailure(key, error instanceof ApiError ? error.retryAfterMs : undefined);
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
