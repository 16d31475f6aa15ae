/**
 * Keeps a sink equal to a collection of the API server: lists it, watches it, and recovers from everything that can happen to a
 * list or a watch. What follows from what is decided in reflector-state.ts; here it is carried out.
 */
import { type Backoff, backoffMs, type Random } from '../backoff.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import type { KubeClient, Selection } from '../kube/client.ts';
import { type KubeObject, keyOfObject, nameOf, type Resource } from '../kube/resource.ts';
import type { WatchEvent } from '../kube/watch-stream.ts';
import { meaningOf, meaningOfBrokenList } from './failure-meaning.ts';
import { type ReflectorMetrics, uncounted } from './reflector-metrics.ts';
import { after, type Happening, idle, type ReflectorState } from './reflector-state.ts';
import { Relist, type Sink } from './relist.ts';
import { compareVersions } from './resource-version.ts';
import { SilenceTimer } from './silence-timer.ts';

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly resource: Resource<T>;
  readonly selection: Selection;
  readonly sink: Sink<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: ReflectorMetrics;
  /** Told of each new state that is not mere progress of a watch. */
  readonly onState?: (state: ReflectorState) => void;
  readonly timing?: Partial<ReflectorTiming>;
}

export interface ReflectorTiming {
  readonly backoff: Backoff;
  /** An API server sends a bookmark about every minute: a stream that is silent for longer than this is dead. */
  readonly silenceMs: number;
  /** How long to wait before asking again for what the server denies for good. */
  readonly deniedMs: number;
}

const TIMING: ReflectorTiming = { backoff: { baseMs: 200, maxMs: 30_000 }, silenceMs: 150_000, deniedMs: 60_000 };
/** A right that was given a moment ago, or a server that has just come up, is not waited for as long as a right that is missing. */
const DENIED_BASE_MS = 1_000;
/** No pause that a server or something in front of it asks for is longer: it could ask for days. */
const LONGEST_PAUSE_MS = 120_000;
/** A list that has served for so long was worth it. */
const LASTING_MS = 60_000;
/** For one object. Should the connection have died unnoticed, too, a new one is tried after this. */
const CONFIRM_TIMEOUT_MS = 10_000;
const PAGE = 250;
/** The server ends each watch after a while, at different times so that watches do not all come back at once. */
const WATCH_SECONDS = { least: 300, more: 300 };
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #metrics: ReflectorMetrics;
  #state: ReflectorState = idle;
  #steppedAt: number;
  #listedAt = 0;
  #heardAt: number | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#metrics = options.metrics ?? uncounted;
    this.#steppedAt = options.clock.monotonic();
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** When the server was last heard to have nothing but what the sink holds. */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  /** The sentence that says what is wrong when this reflector has neither moved nor given up for longer than anything takes. */
  stuck(): string | undefined {
    const { silenceMs, deniedMs, backoff } = this.#timing;
    const still = this.#options.clock.monotonic() - this.#steppedAt;
    if (this.#state.is === 'idle' || this.#state.is === 'stopped') return undefined;
    if (still <= 2 * Math.max(silenceMs, deniedMs, backoff.maxMs)) return undefined;
    return `the ${nameOf(this.#options.resource)} cache has been ${this.#state.is} for ${Math.round(still / 1000)} s without a sign of life`;
  }

  /** Runs until the signal is aborted. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    this.#step({ what: 'started' });
    while (this.#state.is !== 'stopped') {
      const happening = await this.#act(this.#state, signal).catch((error: unknown) => meaningOf(error));
      this.#step(signal.aborted ? { what: 'stopped' } : happening);
    }
  }

  #act(state: ReflectorState, signal: AbortSignal): Promise<Happening> {
    switch (state.is) {
      case 'listing':
        return state.how === 'stream' ? this.#stream(signal) : this.#list(state.how, signal);
      case 'watching':
        return this.#stream(signal, state.known);
      case 'resuming':
        return this.#confirm(state.known, signal);
      case 'resting':
        return this.#rest(this.#pause(this.#timing.backoff, state.next.failures, state.atLeastMs), signal);
      case 'denied':
        return this.#rest(
          this.#pause({ baseMs: DENIED_BASE_MS, maxMs: this.#timing.deniedMs }, state.next.denials),
          signal,
        );
      case 'idle':
      case 'stopped':
        return Promise.resolve({ what: 'stopped' });
    }
  }

  /** Reads events until the stream is over: from `since`, or from nothing, when the present state comes first. */
  async #stream(signal: AbortSignal, since?: string): Promise<Happening> {
    const quiet = new SilenceTimer(this.#options.clock, this.#timing.silenceMs);
    this.#metrics.watchStarted();
    try {
      return this.#ended(await this.#follow(AbortSignal.any([signal, quiet.signal]), quiet, since));
    } catch (error) {
      if (quiet.signal.aborted) return this.#ended({ what: 'silent' });
      return this.#ended(this.#state.is === 'listing' ? meaningOfBrokenList(error) : meaningOf(error));
    } finally {
      quiet.stop();
    }
  }

  #ended(happening: Happening): Happening {
    this.#metrics.watchEnded(happening.what);
    return happening;
  }

  async #follow(signal: AbortSignal, quiet: SilenceTimer, since?: string): Promise<Happening> {
    const { client, resource, selection, random, clock } = this.#options;
    const relist = since === undefined ? this.#relist('stream') : undefined;
    const batches = client.watch(resource, {
      ...selection,
      ...(since === undefined ? { sendInitialEvents: true } : { resourceVersion: since }),
      timeoutSeconds: WATCH_SECONDS.least + Math.floor(random() * WATCH_SECONDS.more),
      signal,
    });
    for await (const batch of batches) {
      quiet.heard();
      this.#steppedAt = clock.monotonic();
      for (const event of batch) {
        const version = versionIn(event.object);
        this.#metrics.event(event.type);
        const stop =
          this.#state.is === 'listing' ? this.#takeInitial(event, version, relist) : this.#take(event, version);
        if (stop) return stop;
      }
      this.#heard();
    }
    return this.#state.is === 'listing'
      ? { what: 'streamBroke', why: 'the stream ended before the list did' }
      : { what: 'ended' };
  }

  /** The present state is told as ADDED events, but what happens meanwhile may come before the end, too. */
  #takeInitial(event: WatchEvent<T>, version: string, relist: Relist<T> | undefined): undefined {
    if (event.type === 'DELETED') relist?.remove(event.object);
    else if (event.type !== 'BOOKMARK') relist?.put(event.object);
    else if (event.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') {
      relist?.finish(this.#metrics);
      this.#step({ what: 'complete', version });
    }
  }

  /** Takes one event in. Says what happened when that can only be explained by lost order or lost history. */
  #take(event: WatchEvent<T>, version: string): Happening | undefined {
    const ahead = this.#state.is === 'watching' ? compareVersions(version, this.#state.known) : 1;
    if (ahead > 0) {
      if (event.type === 'DELETED') this.#options.sink.remove(keyOfObject(event.object));
      else if (event.type !== 'BOOKMARK') this.#options.sink.put(event.object);
    } else if (event.type === 'BOOKMARK') {
      if (ahead < 0) return { what: 'rewound' };
    } else if (!this.#explains(event, version)) return { what: 'disordered' };
    this.#step({ what: 'progress', version });
    return undefined;
  }

  /** An event of the past is a harmless repetition when what we hold is at least as new, or gone as it says. */
  #explains({ type, object }: WatchEvent<T>, version: string): boolean {
    const held = this.#options.sink.versionOf(keyOfObject(object));
    return held === undefined ? type === 'DELETED' : compareVersions(held, version) >= 0;
  }

  #heard(): void {
    if (this.#state.is !== 'watching') return;
    this.#heardAt = this.#options.clock.monotonic();
    if (this.#state.relists > 0 && this.#heardAt - this.#listedAt >= LASTING_MS) this.#step({ what: 'lasted' });
  }

  async #list(how: 'pages' | 'whole', signal: AbortSignal): Promise<Happening> {
    const { client, resource, selection } = this.#options;
    const relist = this.#relist('pages');
    const limit = how === 'pages' ? { limit: PAGE } : {};
    for (let token = ''; ; ) {
      const page = await client.list(resource, { ...selection, ...limit, ...(token && { continue: token }), signal });
      this.#steppedAt = this.#options.clock.monotonic();
      const version = versionIn(page);
      for (const object of page.items) relist.put(object);
      token = page.metadata.continue ?? '';
      if (token === '') {
        relist.finish(this.#metrics);
        return { what: 'complete', version };
      }
    }
  }

  #relist(how: 'stream' | 'pages'): Relist<T> {
    return new Relist(this.#options.sink, how, this.#options.clock);
  }

  /**
   * A server that was restored from a backup takes a watch from a version of its future, and is silent until it gets there. So it
   * is asked first how far it is, in a way that must be answered as of etcd's own state. Not by labels: many servers read the whole
   * collection to find one object that has them.
   */
  async #confirm(known: string, signal: AbortSignal): Promise<Happening> {
    const { client, resource, selection } = this.#options;
    const { labelSelector: _, ...cheap } = selection;
    const page = await client.list(resource, { ...cheap, limit: 1, timeoutMs: CONFIRM_TIMEOUT_MS, signal });
    return { what: compareVersions(versionIn(page), known) < 0 ? 'rewound' : 'confirmed' };
  }

  #pause(backoff: Backoff, failures: number, atLeastMs = 0): number {
    const pause = backoffMs(backoff, Math.max(1, failures), this.#options.random);
    return Math.max(Math.min(atLeastMs, LONGEST_PAUSE_MS), pause);
  }

  async #rest(ms: number, signal: AbortSignal): Promise<Happening> {
    await sleep(this.#options.clock, ms, signal);
    return { what: 'rested' };
  }

  #step(happening: Happening): void {
    const before = this.#state;
    this.#state = after(before, happening);
    this.#steppedAt = this.#options.clock.monotonic();
    if (happening.what === 'complete') this.#listedAt = this.#heardAt = this.#steppedAt;
    if (this.#state.is !== before.is) this.#options.onState?.(this.#state);
  }
}

/** Without one it is no answer of an API server, whatever its status says; an empty list would be taken for an empty collection. */
function versionIn(answer: { readonly metadata?: { readonly resourceVersion?: string } } | undefined): string {
  const version = answer?.metadata?.resourceVersion;
  if (version) return version;
  throw new Error('the answer has no resourceVersion: it does not come from an API server');
}
