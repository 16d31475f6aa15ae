/**
 * All the caches of a process. A resource is listed and watched once, however many controllers look at it; each of them sees its own
 * projection of the objects, and controllers that ask for the same projection share it.
 */
import type { Random } from '../backoff.ts';
import type { Clock } from '../clock/clock.ts';
import type { KubeClient, Selection } from '../kube/client.ts';
import { type KubeObject, keyOfObject, nameOf, type Resource } from '../kube/resource.ts';
import type { Log } from '../observe/log.ts';
import { Reflector, type ReflectorTiming } from './reflector.ts';
import type { ReflectorMetrics } from './reflector-metrics.ts';
import type { ReflectorState } from './reflector-state.ts';
import type { Sink } from './relist.ts';
import { type Coverage, type Indexes, Store, type View } from './store.ts';

export interface ViewSpec<T extends KubeObject, P, I extends string> extends Selection {
  /**
   * What to keep of an object; `undefined` leaves it out. Must take any object that the API can hold, and share nothing with it that
   * is large.
   */
  readonly project: (object: T) => P | undefined;
  readonly indexes?: Indexes<P, I>;
  /** The program runs without this one when the server does not let us read it: `available` says so. */
  readonly optional?: boolean;
}

export interface CachesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: (resource: string) => ReflectorMetrics;
  readonly timing?: Partial<ReflectorTiming>;
  /** Told whenever a collection is in another state, for those who tell people how well the server is heard. */
  readonly onState?: (resource: string, state: ReflectorState) => void;
}

export class Caches {
  readonly #options: CachesOptions;
  readonly #collections = new Map<string, Collection>();
  #started = false;

  constructor(options: CachesOptions) {
    this.#options = options;
  }

  /** Asks for a view. All views are asked for before `run`. */
  view<T extends KubeObject, P, I extends string = never>(resource: Resource<T>, spec: ViewSpec<T, P, I>): View<P, I> {
    if (this.#started) throw new Error(`a view of ${nameOf(resource)} was asked for after the caches were started`);
    const { namespace = '', labelSelector = '', fieldSelector = '' } = spec;
    const selection = { namespace, labelSelector, fieldSelector };
    const id = JSON.stringify([nameOf(resource), resource.version, selection]);
    const collection = this.#collections.get(id) ?? new Collection(resource, selection, this.#options);
    this.#collections.set(id, collection);
    return collection.view(spec);
  }

  /** Lists and watches everything that was asked for, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#started = true;
    await Promise.all([...this.#collections.values()].map((each) => each.run(signal)));
  }

  /** Resolves when every view is either complete or, if it is optional, denied. */
  async synced(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    await Promise.race([Promise.all([...this.#collections.values()].map((each) => each.ready)), aborted]);
  }

  /** One sentence for each collection that is not there yet. */
  missing(): readonly string[] {
    return [...this.#collections.values()].flatMap((each) => each.missing() ?? []);
  }

  /** One sentence for each collection that no longer moves. */
  stuck(): readonly string[] {
    return [...this.#collections.values()].flatMap((each) => each.stuck() ?? []);
  }
}

/** One resource under one selection: a reflector and the views that it feeds. */
class Collection implements Sink<KubeObject>, Coverage {
  readonly ready: Promise<void>;
  readonly #name: string;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #reflector: Reflector<KubeObject>;
  readonly #stores = new Map<unknown, Store<KubeObject, unknown, string>>();
  readonly #markReady: () => void;
  readonly #tell: CachesOptions['onState'];
  /** Until a view asks for it without being able to do without it. */
  #optional = true;
  #warned = false;
  synced = false;
  available = true;

  constructor(resource: Resource, selection: Selection, options: CachesOptions) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#markReady = resolve;
    this.#name = nameOf(resource);
    this.#log = options.log.child({ resource: this.#name });
    const { client, clock, random, timing } = options;
    this.#clock = clock;
    this.#tell = options.onState;
    const metrics = options.metrics?.(this.#name);
    this.#reflector = new Reflector<KubeObject>({
      client,
      clock,
      random,
      resource,
      selection,
      sink: this,
      onState: (state) => this.#onState(state),
      ...(metrics && { metrics }),
      ...(timing && { timing }),
    });
  }

  view<T extends KubeObject, P, I extends string>(spec: ViewSpec<T, P, I>): View<P, I> {
    if (!spec.optional) this.#optional = false;
    const known = this.#stores.get(spec.project) as Store<T, P, I> | undefined;
    const store = known ?? new Store<T, P, I>(spec.project, this, (err) => this.#log.error({ err }, LISTENER_FAILED));
    if (spec.indexes) store.index(spec.indexes);
    // A map cannot say that each store goes with its own key; nothing is ever read out of it but under that key.
    this.#stores.set(spec.project, store as unknown as Store<KubeObject, unknown, string>);
    return store;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  get staleMs(): number {
    return this.#clock.monotonic() - (this.#reflector.heardAt ?? Number.NEGATIVE_INFINITY);
  }

  put(object: KubeObject): void {
    for (const store of this.#stores.values()) {
      try {
        store.put(object);
      } catch (err) {
        const { namespace, name, uid } = object.metadata;
        this.#log.error({ err, object: { namespace, name, uid } }, 'an object could not be read and is left out');
        store.remove(keyOfObject(object));
      }
    }
  }

  remove(key: string): void {
    for (const store of this.#stores.values()) store.remove(key);
  }

  /** Not every view need hold every object. */
  versionOf(key: string): string | undefined {
    for (const store of this.#stores.values()) if (store.has(key)) return store.versionOf(key);
    return undefined;
  }

  *keys(): Generator<string> {
    for (const store of this.#stores.values()) yield* store.keys();
  }

  missing(): string | undefined {
    if (this.available ? this.synced : this.#optional) return undefined;
    const { state } = this.#reflector;
    return `${this.#name}: ${'why' in state ? `${state.is}: ${state.why}` : state.is}`;
  }

  stuck(): string | undefined {
    return this.#reflector.stuck();
  }

  #onState(state: ReflectorState): void {
    if (state.is === 'watching') this.#nowInStep(state.denials);
    if (state.is === 'denied') this.#nowDenied(state.why, state.next.denials);
    if (state.is === 'resting') this.#interrupted(state.why, state.next.failures);
    this.#tell?.(this.#name, state);
  }

  /** The first failure is news, and then each time that there have been twice as many. */
  #interrupted(why: string, failures: number): void {
    const isNews = Number.isInteger(Math.log2(Math.max(1, failures)));
    this.#log[isNews ? 'info' : 'debug']({ why, failures }, 'watch interrupted');
  }

  #nowInStep(denials: number): void {
    if (this.#warned && denials === 0) {
      this.#warned = false;
      this.#log.info('readable again');
    }
    this.synced = true;
    this.available = true;
    this.#markReady();
  }

  #nowDenied(why: string, denials: number): void {
    this.available = false;
    if (this.#optional) this.#markReady();
    if (this.#warned || denials < DENIALS_TO_WARN) return;
    this.#warned = true;
    this.#log.warn({ why }, this.#optional ? 'not readable: going on without it' : 'not readable: waiting');
  }
}

/** A server that has just come up denies this and that for a moment, which nobody needs to look into. */
const DENIALS_TO_WARN = 3;

const LISTENER_FAILED = 'somebody who was told of a change could not take it';
