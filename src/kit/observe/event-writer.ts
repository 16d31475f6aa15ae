/** Writes one Event, or the new count of one, to the API server. Tries again where that can help, and is quiet where it cannot. */
import { type Backoff, backoffMs, type Random } from '../backoff.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import { ApiError } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { mayHaveHappened } from '../kube/retry.ts';
import { BoundedMap } from './bounded-map.ts';
import { EVENTS, type EventObject, eventName, eventOf, namespaceOf } from './event.ts';
import type { DropReason, EventMetrics } from './event-metrics.ts';
import type { Series, StoredEvent } from './event-series.ts';
import { judge, type Verb, type Verdict } from './event-verdict.ts';
import type { Log } from './log.ts';
import { type FirstTime, once, onceEvery } from './once.ts';

export interface EventWriterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: EventMetrics;
}

const TIMEOUT_MS = 10_000;
const BACKOFF: Backoff = { baseMs: 1_000, maxMs: 30_000 };
const MOST_TRIES = 12;
/**
 * How long nothing is tried where we had no right to. Short at first, since a server that has just come up denies all until it has
 * read the roles; longer each time, since a right that is missing seldom comes.
 */
const QUIET: Backoff = { baseMs: 10_000, maxMs: 60 * 60_000 };
const MOST_NAMESPACES = 1000;

/** The Event that a series is to become. */
interface Draft {
  name: string;
  /** An earlier try may have created it although it failed. */
  mayBeThere: boolean;
}

/** We had no right to, so many times in a row. */
interface Denials {
  readonly count: number;
  readonly quietUntilMs: number;
}

export class EventWriter {
  readonly #options: EventWriterOptions;
  /** By verb and namespace. */
  readonly #denials = new BoundedMap<string, Denials>(MOST_NAMESPACES);
  readonly #isFirst: FirstTime = once();
  readonly #isNewOutage: FirstTime;
  #lastUnique = 0n;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#isNewOutage = onceEvery(options.clock, QUIET.maxMs);
  }

  mayTry(verb: Verb, namespace: string): boolean {
    const denials = this.#denials.get(`${verb} ${namespace}`);
    return denials === undefined || this.#options.clock.monotonic() >= denials.quietUntilMs;
  }

  /** Resolves with why it was dropped, or with nothing when the server knows all of the series. Never rejects. */
  async write(series: Series, signal: AbortSignal): Promise<DropReason | undefined> {
    const namespace = namespaceOf(series.occurrence);
    const draft: Draft = { name: this.#newName(series), mayBeThere: false };
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const verb = series.stored ? 'patch' : 'create';
      if (!this.mayTry(verb, namespace)) return 'forbidden';
      try {
        return await this.#send(series, draft, signal);
      } catch (failure) {
        if (signal.aborted) return 'shutdown';
        const verdict = judge(failure, verb);
        if (isFinal(verdict)) return this.#giveUp(verdict, verb, series, failure);
        await this.#prepareNext(verdict, failure, series, draft, tries, signal);
        if (series.isTold) return undefined;
      }
    }
    return this.#giveUp('unreachable', 'create', series, undefined);
  }

  async #send(series: Series, draft: Draft, signal: AbortSignal): Promise<undefined> {
    const { clock, metrics } = this.#options;
    const { count, stored } = series;
    const { metadata } = await (stored ? this.#patch(series, stored, signal) : this.#create(series, draft, signal));
    series.stored = { name: stored?.name ?? draft.name, uid: metadata.uid };
    series.told(count, clock.monotonic());
    const verb = stored ? 'patch' : 'create';
    this.#denials.delete(`${verb} ${namespaceOf(series.occurrence)}`);
    metrics.written(verb);
  }

  #create(
    { occurrence, reporter, firstAt, series }: Series,
    { name }: Draft,
    signal: AbortSignal,
  ): Promise<EventObject> {
    const event = eventOf(occurrence, reporter, { name, firstAt, series });
    return this.#options.client.create(EVENTS, event, { timeoutMs: TIMEOUT_MS, signal });
  }

  #patch({ occurrence, series }: Series, { name, uid }: StoredEvent, signal: AbortSignal): Promise<EventObject> {
    const ref = { namespace: namespaceOf(occurrence), name };
    const preconditions = uid === undefined ? {} : { uid };
    return this.#options.client.mergePatch(EVENTS, ref, { series }, { preconditions, timeoutMs: TIMEOUT_MS, signal });
  }

  async #prepareNext(
    verdict: Exclude<Verdict, DropReason>,
    failure: unknown,
    series: Series,
    draft: Draft,
    tries: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random } = this.#options;
    if (verdict === 'again') {
      draft.mayBeThere ||= mayHaveHappened(failure);
      const pause = pauseAskedFor(failure) ?? backoffMs(BACKOFF, tries, random);
      await sleep(clock, pause, signal).catch(() => undefined);
    } else if (verdict === 'taken' && draft.mayBeThere) {
      series.stored = { name: draft.name, uid: undefined };
      series.told(1, clock.monotonic());
    } else {
      series.stored = undefined;
      draft.name = this.#newName(series);
    }
  }

  #giveUp(reason: DropReason, verb: Verb, { occurrence }: Series, failure: unknown): DropReason {
    const { log } = this.#options;
    const namespace = namespaceOf(occurrence);
    const why = failure instanceof Error ? failure.message : undefined;
    if (reason === 'forbidden') {
      this.#beQuiet(`${verb} ${namespace}`);
      if (this.#isFirst(`forbidden ${verb}`)) log.warn({ namespace, why }, `no right to ${verb} Events: ${REMEDY}`);
    } else if (reason === 'unreachable' && this.#isNewOutage(reason)) {
      log.warn({ namespace }, `an Event could not be written in ${MOST_TRIES} tries and is dropped`);
    } else if (reason === 'rejected' && this.#isFirst(`rejected ${occurrence.reason}`)) {
      log.warn({ namespace, why }, 'the API server does not take an Event: it is dropped');
    }
    return reason;
  }

  #beQuiet(where: string): void {
    const count = (this.#denials.get(where)?.count ?? 0) + 1;
    const quietMs = backoffMs(QUIET, count, () => 1);
    this.#denials.set(where, { count, quietUntilMs: this.#options.clock.monotonic() + quietMs });
  }

  /** Like the nanoseconds that client-go uses, and never the same twice. */
  #newName({ occurrence }: Series): string {
    const { clock, random } = this.#options;
    const now = BigInt(clock.now().getTime()) * 1_000_000n + BigInt(Math.floor(random() * 1_000_000));
    this.#lastUnique = now > this.#lastUnique ? now : this.#lastUnique + 1n;
    return eventName(occurrence.regarding, this.#lastUnique);
  }
}

const REMEDY =
  'going on without. To have them, allow "create" and "patch" on "events" of the API group "events.k8s.io"; tried again at most every hour from then on';

const isFinal = (verdict: Verdict): verdict is DropReason => !['again', 'vanished', 'taken'].includes(verdict);

const LONGEST_PAUSE_MS = 60_000;

function pauseAskedFor(failure: unknown): number | undefined {
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined;
  return asked === undefined ? undefined : Math.min(asked, LONGEST_PAUSE_MS);
}
