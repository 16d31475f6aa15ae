/** Leader election on a Lease, compatible with client-go's: waits for the lease, leads while it can be renewed, and gives it back. */
import type { Random } from '../backoff.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import { hasReason } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Log } from '../observe/log.ts';
import { heldBy, LEASES, type Lease, mayTake, type Observation, observe, released } from './lease.ts';
import { LeaseGate } from './lease-gate.ts';

export interface ElectorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  /** Different for every process that ever lived. */
  readonly identity: string;
  readonly timing?: Partial<ElectionTiming>;
  readonly onLeading?: (leading: boolean) => void;
}

export interface ElectionTiming {
  /** How long others leave the lease alone after they last saw it renewed. */
  readonly durationMs: number;
  /** How long we trust it ourselves after we last renewed it. The difference to the former covers what is on its way. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

const TIMING: ElectionTiming = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

export class Elector {
  /** Open while we can be certain that we lead. All writes that only a leader may do go through it. */
  readonly gate: LeaseGate;
  readonly #options: ElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #gated: KubeClient;
  #lease: Lease | undefined;
  #seen: Observation | undefined;
  #holder = '';
  #triedAt: number | undefined;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    const { durationMs, renewDeadlineMs, retryMs } = this.#timing;
    if (!(durationMs > renewDeadlineMs && renewDeadlineMs > retryMs * 1.2)) {
      throw new Error('the lease duration must exceed the renew deadline, and that the retry period by a fifth');
    }
    this.gate = new LeaseGate(options.clock);
    this.#gated = options.client.gatedBy(this.gate);
  }

  /**
   * Waits for the lease, then runs `lead` until it ends or the lease is lost; its signal is aborted then. The lease is released
   * only after `lead` has returned, and only if it is certainly still ours.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<'done' | 'lost'> {
    try {
      if (!(await this.#acquire(signal))) return 'done';
      this.#options.log.info({ identity: this.#options.identity }, 'leading');
      this.#options.onLeading?.(true);
      return await this.#lead(signal, lead);
    } finally {
      this.gate.close();
      this.#triedAt = undefined;
      this.#options.onLeading?.(false);
    }
  }

  async #lead(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<'done' | 'lost'> {
    const leading = new AbortController();
    const ended = new AbortController();
    const kept = this.#keep(ended.signal).then((lost) => {
      if (lost) leading.abort(new Error('the lease was lost'));
      return lost;
    });
    try {
      await lead(AbortSignal.any([signal, leading.signal]));
    } finally {
      ended.abort();
      if (!(await kept)) await this.#release();
    }
    return (await kept) ? 'lost' : 'done';
  }

  /** Nothing, or the sentence that says that we lead and have long stopped to renew, which only a blocked process can do. */
  stuck(): readonly string[] {
    const { clock, namespace, name } = this.#options;
    const still = clock.monotonic() - (this.#triedAt ?? Number.POSITIVE_INFINITY);
    if (still <= 2 * this.#timing.durationMs) return [];
    return [`nothing was done about the lease ${namespace}/${name} for ${Math.round(still / 1000)} s`];
  }

  /** True when we hold the lease, false when the signal was aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (await this.#try(this.#options.client, signal)) return true;
      await this.#pause(signal);
    }
    return false;
  }

  /** Renews the lease until the signal is aborted. True when it could not be renewed in time: it is lost. */
  async #keep(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      await this.#pause(signal);
      if (signal.aborted) return false;
      if (!this.gate.open || !(await this.#renew(signal))) return !signal.aborted;
    }
    return false;
  }

  async #renew(signal: AbortSignal): Promise<boolean> {
    while (this.gate.open && !signal.aborted) {
      if (await this.#try(this.#gated, signal)) return true;
      if (this.#holder !== this.#options.identity) return false;
      await this.#pause(signal);
    }
    return false;
  }

  async #try(client: KubeClient, signal: AbortSignal): Promise<boolean> {
    const { clock, log, namespace, name } = this.#options;
    this.#triedAt = clock.monotonic();
    const limit = deadline(
      clock,
      this.#timing.renewDeadlineMs / 2,
      () => new Error('the lease request took too long'),
      signal,
    );
    try {
      return await this.#takeOrRenew(client, limit.signal);
    } catch (error) {
      this.#lease = undefined;
      if (!signal.aborted)
        log.info({ lease: `${namespace}/${name}`, why: String(error) }, 'the lease could not be taken or renewed');
      return false;
    } finally {
      limit.cancel();
    }
  }

  /** The time is taken before the request is sent: others count from when they see it, which is later. */
  async #takeOrRenew(client: KubeClient, signal: AbortSignal): Promise<boolean> {
    const { clock, identity, namespace, name } = this.#options;
    const openFor = this.gate.fromNow();
    const lease = this.#renewable() ?? (await client.find(LEASES, { namespace, name }, { signal }));
    if (!lease) {
      const fresh = heldBy({ metadata: { namespace, name } }, identity, clock.now(), this.#timing.durationMs);
      this.#hold(await client.create(LEASES, fresh, { signal }), openFor);
      return true;
    }
    this.#holder = lease.spec?.holderIdentity ?? '';
    this.#seen = observe(this.#seen, lease, clock.monotonic());
    if (!mayTake(lease, identity, this.#seen, clock.monotonic(), this.#timing.durationMs)) return false;
    this.#hold(
      await client.update(LEASES, heldBy(lease, identity, clock.now(), this.#timing.durationMs), { signal }),
      openFor,
    );
    return true;
  }

  /** While we lead, nobody else writes the lease: the copy of the last write serves for the next, which then is one request. */
  #renewable(): Lease | undefined {
    return this.gate.open ? this.#lease : undefined;
  }

  #hold(lease: Lease, openFor: (ms: number) => void): void {
    this.#lease = lease;
    this.#holder = this.#options.identity;
    openFor(this.#timing.renewDeadlineMs);
  }

  async #release(): Promise<void> {
    const { clock, log } = this.#options;
    const lease = this.#lease;
    if (!lease || !this.gate.open) return;
    try {
      await this.#gated.update(LEASES, released(lease, clock.now()), { timeoutMs: this.#timing.retryMs });
    } catch (error) {
      if (!hasReason(error, 'Conflict'))
        log.info({ why: String(error) }, 'the lease could not be released: it will run out');
    }
  }

  /** Jittered, so that candidates do not ask in step. Ends early when the signal is aborted. */
  async #pause(signal: AbortSignal): Promise<void> {
    const ms = this.#timing.retryMs * (1 + 0.2 * this.#options.random());
    await sleep(this.#options.clock, ms, signal).catch(() => undefined);
  }
}
