/**
 * Starts, supervises and stops everything that runs in a process: services and caches first, and the controllers when the caches
 * are complete and, where there is an election, while this process leads.
 */

import type { Caches } from '../cache/caches.ts';
import { aborted } from '../clock/aborted.ts';
import type { Clock } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import type { Elector } from '../lead/elector.ts';
import type { Log } from '../observe/log.ts';
import { type Runnable, Stage } from './stage.ts';

export interface ManagerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly caches: Caches;
  readonly controllers: readonly Runnable[];
  /** Run from the first to the last moment: the health endpoints, the delivery of events. */
  readonly services?: readonly Runnable[];
  readonly elector?: Elector;
  /** Called when the controllers have ended, while this process may still write. */
  readonly afterWork?: () => Promise<void>;
  /** How long parts may take to finish after the stop. Kubernetes kills after 30 s by default. */
  readonly drainMs?: number;
}

const DRAIN_MS = 25_000;

export class Manager {
  readonly #options: ManagerOptions;
  readonly #stages: Stage[] = [];
  /** Aborted with the first failure of any part as its reason. */
  readonly #failure = new AbortController();
  #phase: 'starting' | 'running' | 'stopping' = 'starting';

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Sentences that say why this process is not ready for work; none when it is. */
  notReady(): readonly string[] {
    return this.#phase === 'running' ? this.#options.caches.missing() : [`the process is ${this.#phase}`];
  }

  /** Sentences that say why this process should be started anew; none when it is well. */
  unhealthy(): readonly string[] {
    const { caches, elector } = this.#options;
    return [...caches.stuck(), ...(elector?.stuck() ?? [])];
  }

  /**
   * Called once. Resolves when all has ended after `stop` was aborted. Rejects when a part failed, the lease was lost or the end took
   * too long: with the first of these, after everything else was told to stop and had its time to.
   */
  async run(stop: AbortSignal): Promise<void> {
    const { services = [], caches } = this.#options;
    const serving = this.#start(services);
    const caching = this.#start([{ name: 'the caches', run: (signal) => cache(caches, signal) }]);
    const controlling = this.#start([{ name: 'the controllers', run: (signal) => this.#lead(signal) }]);
    this.#phase = 'running';
    await aborted(AbortSignal.any([stop, this.#failure.signal]));
    this.#phase = 'stopping';
    await this.#drain([controlling, caching, serving]);
    this.#failure.signal.throwIfAborted();
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { elector } = this.#options;
    if (!elector) return await this.#control(signal);
    const ending = await elector.run(signal, (leading) => this.#control(leading));
    if (ending === 'lost') throw new Error('the lease was lost: another process may lead now');
  }

  async #control(signal: AbortSignal): Promise<void> {
    const { caches, controllers, log } = this.#options;
    try {
      await caches.synced(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    log.info({ controllers: controllers.map((each) => each.name) }, 'caches are complete: controllers start');
    const stage = this.#start(controllers);
    await aborted(signal);
    await stage.stop(signal.reason);
    await this.#options.afterWork?.();
  }

  #start(runnables: readonly Runnable[]): Stage {
    const stage = new Stage(runnables, (failure) => this.#failure.abort(failure));
    this.#stages.push(stage);
    return stage;
  }

  /** One stage after another, the writers first, within one deadline for all. After it the rest is told to stop, too, but not waited for. */
  async #drain(stages: readonly Stage[]): Promise<void> {
    const { clock, drainMs = DRAIN_MS } = this.#options;
    const limit = deadline(clock, drainMs, () => this.#late(drainMs));
    const late = aborted(limit.signal).then(() => this.#failure.abort(limit.signal.reason));
    for (const stage of stages) await Promise.race([stage.stop(), late]);
    limit.cancel();
  }

  /** The stage that was started last is what those before it wait for. */
  #late(drainMs: number): Error {
    const names = this.#stages.findLast((stage) => stage.stragglers.length > 0)?.stragglers ?? [];
    return new Error(`${names.join(', ')} had not ended ${drainMs / 1000} s after the stop`);
  }
}

/** Without any view there is nothing to run, which is not a failure. */
async function cache(caches: Caches, signal: AbortSignal): Promise<void> {
  await Promise.all([caches.run(signal), aborted(signal)]);
}
