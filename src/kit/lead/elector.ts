/** Leader election on a Lease, compatible with client-go's: waits for the lease, leads while it can be renewed, and gives it back. */
import type { Random } from '../backoff.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import { hasReason } from '../kube/api-error.ts';
import type { CallOptions, KubeClient } from '../kube/client.ts';
import type { Log } from '../observe/log.ts';
import { freeAt, heldBy, LEASES, type Lease, type Observation, observe, released } from './lease.ts';
import { LeaseGate, NotLeading } from './lease-gate.ts';
import { untilFree } from './standby.ts';

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
  /** How long after a renewal the next one is sent. From then until the former is over, it is tried at least twice. */
  readonly renewMs: number;
  /** How long after a try that failed the next one is made, or at once after one that took longer. */
  readonly retryMs: number;
}

export const DEFAULT_TIMING: ElectionTiming = {
  durationMs: 15_000,
  renewDeadlineMs: 10_000,
  renewMs: 5_000,
  retryMs: 2_000,
};
/** Pauses are up to this much longer than `retryMs`, so that candidates do not ask in step. */
const JITTER = 0.2;

/** What came of one look at the lease. */
type Attempt = 'ours' | 'not ours' | 'failed';

export class Elector {
  /** Open while we can be certain that we lead. All writes that only a leader may do go through it. */
  readonly gate: LeaseGate;
  readonly #options: ElectorOptions;
  readonly #timing: ElectionTiming;
  readonly #gated: KubeClient;
  /** As we last wrote it; nothing when a write has failed since and the server may know better. */
  #lease: Lease | undefined;
  /** As we last read it, when it was another's. */
  #others: Lease | undefined;
  #seen: Observation | undefined;
  #triedAt: number | undefined;
  #complaint = '';

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    check(this.#timing);
    this.gate = new LeaseGate(options.clock);
    this.#gated = options.client.gatedBy(this.gate);
  }

  /**
   * Waits for the lease, then runs `lead` until it ends or the lease is lost; its signal is aborted then. The lease is renewed until
   * `lead` has returned, and released only after that, and only if it is certainly still ours.
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

  /** Nothing, or the sentence that says that we have long stopped to look at the lease, which only a blocked process does. */
  stuck(): readonly string[] {
    const { clock, namespace, name } = this.#options;
    const still = clock.monotonic() - (this.#triedAt ?? Number.POSITIVE_INFINITY);
    if (still <= 2 * this.#timing.durationMs) return [];
    return [`nothing was done about the lease ${namespace}/${name} for ${Math.round(still / 1000)} s`];
  }

  /** True when we hold the lease, false when the signal was aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const attempt = await this.#try((options) => this.#take(options), this.#timing.renewDeadlineMs / 2, signal);
      if (attempt === 'ours' && this.gate.open) return true;
      const mayBeFree = attempt === 'not ours' && (await this.#standBy(signal));
      if (!mayBeFree) await this.#retryPause(signal);
    }
    return false;
  }

  /** True when the lease that another held may be there to be taken, false when nothing tells us when it is. */
  async #standBy(signal: AbortSignal): Promise<boolean> {
    if (!this.#others) return false;
    const heardOf = (lease: Lease) => {
      this.#triedAt = this.#options.clock.monotonic();
      return this.#leftMs(lease);
    };
    try {
      const mayBeFree = await untilFree(this.#others, { ...this.#options, heardOf }, signal);
      this.#complaint = '';
      return mayBeFree;
    } catch (error) {
      if (!signal.aborted) this.#complain(error, 'the lease cannot be watched: asking for it instead');
      return false;
    }
  }

  /** For how long nobody may take it, as far as we have seen. */
  #leftMs(lease: Lease): number {
    const now = this.#options.clock.monotonic();
    this.#seen = observe(this.#seen, lease, now);
    return freeAt(lease, this.#options.identity, this.#seen, this.#timing.durationMs) - now;
  }

  async #lead(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<'done' | 'lost'> {
    const leading = new AbortController();
    const ended = new AbortController();
    const kept = this.#keep(ended.signal).then((ours) => {
      if (!ours) this.gate.close();
      if (!ours) leading.abort(new NotLeading());
      return ours;
    });
    try {
      await lead(AbortSignal.any([signal, leading.signal]));
    } finally {
      ended.abort();
      if (await kept) await this.#release();
    }
    return (await kept) ? 'done' : 'lost';
  }

  /** Renews the lease until the signal is aborted. False as soon as it is lost: somebody else's, or too old to be trusted. */
  async #keep(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const limit = deadline(this.#options.clock, this.gate.openForMs, () => new Error('the lease ran out'), signal);
      const ours = await this.#renewWithin(limit.signal);
      limit.cancel();
      if (!ours) return signal.aborted;
    }
    return true;
  }

  async #renewWithin(signal: AbortSignal): Promise<boolean> {
    const { renewDeadlineMs, renewMs } = this.#timing;
    await this.#pause(renewMs, signal);
    for (;;) {
      if (signal.aborted || !this.gate.open) return false;
      const attempt = await this.#try((options) => this.#renew(options), (renewDeadlineMs - renewMs) / 2, signal);
      if (attempt !== 'failed') return attempt === 'ours';
      await this.#retryPause(signal);
    }
  }

  async #try(
    attempt: (options: CallOptions) => Promise<boolean>,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { clock } = this.#options;
    this.#triedAt = clock.monotonic();
    const limit = deadline(clock, limitMs, () => new Error(`no answer within ${limitMs / 1000} s`), signal);
    try {
      const ours = await attempt({ signal: limit.signal });
      if (ours) this.#complaint = '';
      return ours ? 'ours' : 'not ours';
    } catch (error) {
      this.#lease = undefined;
      if (!signal.aborted) this.#complain(error, 'the lease could not be taken or renewed: trying again');
      return 'failed';
    } finally {
      limit.cancel();
    }
  }

  /** Takes the lease when it may be taken. */
  async #take(options: CallOptions): Promise<boolean> {
    const { client, namespace, name } = this.#options;
    const openFor = this.gate.fromNow();
    const lease = await client.find(LEASES, { namespace, name }, options);
    if (!lease) {
      const fresh = this.#held({ metadata: { namespace, name } });
      this.#hold(await client.create(LEASES, fresh, options), openFor);
      return true;
    }
    this.#others = lease;
    if (this.#leftMs(lease) > 0) return false;
    this.#hold(await client.update(LEASES, this.#held(lease), options), openFor);
    return true;
  }

  /** Nobody else writes the lease while we lead: the copy of the last write serves for the next, which then is one request. */
  async #renew(options: CallOptions): Promise<boolean> {
    const { identity, namespace, name } = this.#options;
    const openFor = this.gate.fromNow();
    const lease = this.#lease ?? (await this.#gated.find(LEASES, { namespace, name }, options));
    if (lease?.spec?.holderIdentity !== identity) return false;
    this.#hold(await this.#gated.update(LEASES, this.#held(lease), options), openFor);
    return true;
  }

  #held(lease: Lease): Lease {
    return heldBy(lease, this.#options.identity, this.#options.clock.now(), this.#timing.durationMs);
  }

  /** Our time counts from before the request was sent. Others count from when they see its result, which is later. */
  #hold(lease: Lease, openFor: (ms: number) => void): void {
    this.#lease = lease;
    openFor(this.#timing.renewDeadlineMs);
  }

  async #release(): Promise<void> {
    const { client, clock, log, namespace, name, identity } = this.#options;
    const limit = deadline(clock, this.#timing.retryMs, () => new Error('no answer in time'));
    const options = { signal: limit.signal };
    try {
      const lease = this.#lease ?? (await client.find(LEASES, { namespace, name }, options));
      if (lease?.spec?.holderIdentity !== identity) return;
      await client.gatedBy(this.gate.lastWrite).update(LEASES, released(lease, clock.now()), options);
    } catch (error) {
      log.info({ why: String(error) }, 'the lease could not be released: it will run out');
    } finally {
      limit.cancel();
    }
  }

  /** The same trouble is told once, not every two seconds. That another candidate was faster is none. */
  #complain(error: unknown, message: string): void {
    const { log, namespace, name } = this.#options;
    const why = String(error);
    if (why === this.#complaint || hasReason(error, 'Conflict', 'AlreadyExists')) return;
    this.#complaint = why;
    log.warn({ lease: `${namespace}/${name}`, why }, message);
  }

  #retryPause(signal: AbortSignal): Promise<void> {
    return this.#pause(this.#timing.retryMs * (1 + JITTER * this.#options.random()), signal);
  }

  /** Until so long after the last try began. Ends early when the signal is aborted. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const passedMs = clock.monotonic() - (this.#triedAt ?? 0);
    await sleep(clock, Math.max(0, ms - passedMs), signal).catch(() => undefined);
  }
}

function check({ durationMs, renewDeadlineMs, renewMs, retryMs }: ElectionTiming): void {
  if (durationMs > renewDeadlineMs && renewDeadlineMs > renewMs + retryMs * (1 + JITTER)) return;
  throw new Error(
    `the lease duration (${durationMs} ms) must be longer than the renew deadline (${renewDeadlineMs} ms), and that must be longer ` +
      `than the renew period (${renewMs} ms) with the retry period (${retryMs} ms) and a fifth of it`,
  );
}
