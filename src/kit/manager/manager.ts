/**
 * Starts, supervises and stops everything that runs in a process: services and caches first, and the controllers when the caches
 * are complete and, where there is an election, while this process leads.
 */
import { once } from 'node:events';
import type { Caches } from '../cache/caches.ts';
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
  /** How long parts may take to finish after the stop. Kubernetes kills after 30 s by default. */
  readonly drainMs?: number;
}

const DRAIN_MS = 25_000;

export class Manager {
  readonly #options: ManagerOptions;
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

  /** Resolves when all has ended after `stop` was aborted. Rejects when a part failed, the lease was lost or the end took too long. */
  async run(stop: AbortSignal): Promise<void> {
    const { services = [], caches } = this.#options;
    const stages = {
      services: new Stage(services),
      caches: new Stage([{ name: 'the caches', run: (signal) => caches.run(signal) }]),
      controllers: new Stage([{ name: 'the controllers', run: (signal) => this.#lead(signal) }]),
    };
    this.#phase = 'running';
    try {
      await Promise.race([aborted(stop), ...Object.values(stages).map((stage) => stage.failed)]);
    } finally {
      this.#phase = 'stopping';
      await this.#stopAll([stages.controllers, stages.caches, stages.services]);
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { elector } = this.#options;
    if (!elector) return await this.#control(signal);
    const ending = await elector.run(signal, (leading) => this.#control(leading));
    if (ending === 'lost') throw new Error('the lease was lost: another process may lead now');
  }

  async #control(signal: AbortSignal): Promise<void> {
    const { caches, controllers, log } = this.#options;
    const complete = caches.synced(signal).then(
      () => true,
      () => false,
    );
    if (!(await complete)) return;
    log.info({ controllers: controllers.map((each) => each.name) }, 'caches are complete: controllers start');
    const stage = new Stage(controllers);
    try {
      await Promise.race([aborted(signal), stage.failed]);
    } finally {
      await stage.stop();
    }
  }

  /** One stage after another, the writers first, within one deadline for all. */
  async #stopAll(stages: readonly Stage[]): Promise<void> {
    const { clock, drainMs = DRAIN_MS } = this.#options;
    const limit = deadline(
      clock,
      drainMs,
      () => new Error(`something had not ended ${drainMs / 1000} s after the stop`),
    );
    const late = aborted(limit.signal).then(() => Promise.reject(limit.signal.reason));
    late.catch(() => undefined);
    try {
      for (const stage of stages) await Promise.race([stage.stop(), late]);
    } finally {
      limit.cancel();
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
