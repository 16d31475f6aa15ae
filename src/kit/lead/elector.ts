/** Leader election on a Lease, compatible with client-go's: waits for the lease, leads while it can be renewed, and gives it back. */
import type { Random } from '../backoff.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import { deadline } from '../clock/deadline.ts';
import { hasReason } from '../kube/api-error.ts';
import type { CallOptions, KubeClient } from '../kube/client.ts';
import type { Log } from '../observe/log.ts';
import { heldBy, LEASES, type Lease, mayTake, type Observation, observe, released } from './lease.ts';
import { LeaseGate, NotLeading } from './lease-gate.ts';

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

export const DEFAULT_TIMING: ElectionTiming = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
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
      const attempt = await this.#try((options) => this.#take(options), signal);
      if (attempt === 'ours' && this.gate.open) return true;
      await this.#pause(signal);
    }
    return false;
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
    for (let attempt: Attempt = 'failed'; attempt === 'failed'; ) {
      await this.#pause(signal);
      if (signal.aborted || !this.gate.open) return false;
      attempt = await this.#try((options) => this.#renew(options), signal);
      if (attempt === 'ours') return true;
    }
    return false;
  }

  async #try(attempt: (options: CallOptions) => Promise<boolean>, signal: AbortSignal): Promise<Attempt> {
    const { clock } = this.#options;
    const limitMs = this.#timing.renewDeadlineMs / 2;
    this.#triedAt = clock.monotonic();
    const limit = deadline(clock, limitMs, () => new Error(`no answer within ${limitMs / 1000} s`), signal);
    try {
      const ours = await attempt({ signal: limit.signal });
      this.#complaint = '';
      return ours ? 'ours' : 'not ours';
    } catch (error) {
      this.#lease = undefined;
      if (!signal.aborted) this.#complain(error);
      return 'failed';
    } finally {
      limit.cancel();
    }
  }

  /** Takes the lease when it may be taken. */
  async #take(options: CallOptions): Promise<boolean> {
    const { client, clock, identity, namespace, name } = this.#options;
    const openFor = this.gate.fromNow();
    const lease = await client.find(LEASES, { namespace, name }, options);
    if (!lease) {
      const fresh = this.#held({ metadata: { namespace, name } });
      this.#hold(await client.create(LEASES, fresh, options), openFor);
      return true;
    }
    this.#seen = observe(this.#seen, lease, clock.monotonic());
    if (!mayTake(lease, identity, this.#seen, clock.monotonic(), this.#timing.durationMs)) return false;
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
  #complain(error: unknown): void {
    const { log, namespace, name } = this.#options;
    const why = String(error);
    if (why === this.#complaint || hasReason(error, 'Conflict', 'AlreadyExists')) return;
    this.#complaint = why;
    log.warn({ lease: `${namespace}/${name}`, why }, 'the lease could not be taken or renewed: trying again');
  }

  /** Ends early when the signal is aborted. */
  async #pause(signal: AbortSignal): Promise<void> {
    const ms = this.#timing.retryMs * (1 + JITTER * this.#options.random());
    await sleep(this.#options.clock, ms, signal).catch(() => undefined);
  }
}

function check({ durationMs, renewDeadlineMs, retryMs }: ElectionTiming): void {
  if (durationMs > renewDeadlineMs && renewDeadlineMs > retryMs * (1 + JITTER)) return;
  throw new Error(
    `the lease duration (${durationMs} ms) must be longer than the renew deadline (${renewDeadlineMs} ms), ` +
      `and that must be longer than the retry period (${retryMs} ms) and a fifth of it`,
  );
}
