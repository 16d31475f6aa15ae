/**
 * Lists that are kept in step by watches: whoever asks again for what was asked before gets it out of memory, and somebody is told when
 * it has changed. What may not be watched, or is not heard at the moment, is listed by the server as ever.
 */
import type { Random } from '../backoff.ts';
import type { Clock } from '../clock/clock.ts';
import { withoutRequest } from '../kube/api-error.ts';
import type { KubeClient, ListOptions, Lists, ObjectList, Selection } from '../kube/client.ts';
import { type KubeObject, keyOfObject, nameOf, type Resource } from '../kube/resource.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorState } from './reflector-state.ts';
import type { Sink } from './relist.ts';

export interface KeptListsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends all watches. */
  readonly signal: AbortSignal;
  /** Told of each change after the first list. */
  readonly onChange: () => void;
}

/** A server that has said nothing for so long is asked whether it is still there: nothing else tells a quiet one from a dead one. */
const QUIET_MS = 15_000;
const QUIET_TIMEOUT_MS = 10_000;
/** A server that knows nothing of streamed lists may take the request for one and never end it. */
const BEGIN_MS = 10_000;

export class KeptLists implements Lists {
  readonly #options: KeptListsOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: KeptListsOptions) {
    this.#options = options;
  }

  /** All of it in one answer, where it is kept. */
  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    // A map cannot say that each list goes with its own resource; nothing but objects of that is ever put into it.
    const kept = this.#keptOf(resource, options) as unknown as Kept<T>;
    await kept.begun;
    return (await kept.answer(options.signal)) ?? (await this.#listed(kept, resource, options));
  }

  /** One sentence for each that may be listed and not watched. */
  unwatched(): readonly string[] {
    return [...this.#kept.values()].flatMap((each) => each.unwatched() ?? []);
  }

  #keptOf(resource: Resource, { namespace = '', labelSelector = '', fieldSelector = '' }: Selection): Kept {
    const selection = { namespace, labelSelector, fieldSelector };
    const id = JSON.stringify([nameOf(resource), resource.version, selection]);
    const known = this.#kept.get(id);
    if (known) return known;
    const kept = new Kept(resource, selection, this.#options);
    this.#kept.set(id, kept);
    return kept;
  }

  async #listed<T extends KubeObject>(
    kept: Kept<T>,
    resource: Resource<T>,
    options: ListOptions,
  ): Promise<ObjectList<T>> {
    const list = await this.#options.client.list(resource, options);
    kept.wasListed();
    return list;
  }
}

/** One resource under one selection. */
class Kept<T extends KubeObject = KubeObject> implements Sink<T> {
  /** Resolves when it is known for the first time whether it can be kept. */
  readonly begun: Promise<void>;
  readonly #resource: Resource<T>;
  readonly #selection: Selection;
  readonly #options: KeptListsOptions;
  readonly #reflector: Reflector<T>;
  readonly #objects = new Map<string, T>();
  #sorted: readonly T[] | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Why it may not be watched. */
  #denied: string | undefined;
  #isListed = false;

  constructor(resource: Resource<T>, selection: Selection, options: KeptListsOptions) {
    this.#resource = resource;
    this.#selection = selection;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.begun = promise;
    const { client, clock, random, signal } = options;
    const cancel = clock.after(BEGIN_MS, resolve);
    const onState = (state: ReflectorState) => {
      if (state.is === 'listing') return;
      if (state.is === 'denied') this.#denied = withoutRequest(state.why);
      if (state.is === 'watching') this.#denied = undefined;
      cancel();
      resolve();
    };
    this.#reflector = new Reflector<T>({ client, clock, random, resource, selection, sink: this, onState });
    void this.#reflector.run(signal);
  }

  /** In the order of the API server. Nothing while it is not in step with that. */
  async answer(signal: AbortSignal | undefined): Promise<ObjectList<T> | undefined> {
    if (this.#reflector.state.is !== 'watching') return undefined;
    await this.#askIfQuiet(signal);
    const { state } = this.#reflector;
    if (state.is !== 'watching') return undefined;
    this.#sorted ??= [...this.#objects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return { metadata: { resourceVersion: state.known }, items: this.#sorted };
  }

  /** By the server, since it could not be answered here. */
  wasListed(): void {
    this.#isListed = true;
  }

  unwatched(): string | undefined {
    if (this.#denied === undefined || !this.#isListed) return undefined;
    return `${nameOf(this.#resource)} may not be watched, and are listed again and again instead: ${this.#denied}`;
  }

  put(object: T): void {
    this.#objects.set(keyOfObject(object), withoutManagers(object));
    this.#changed();
  }

  remove(key: string): void {
    if (this.#objects.delete(key)) this.#changed();
  }

  versionOf(key: string): string | undefined {
    return this.#objects.get(key)?.metadata.resourceVersion;
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  #changed(): void {
    this.#sorted = undefined;
    if (this.#reflector.state.is === 'watching') this.#options.onChange();
  }

  /** Not by labels: many servers read the whole collection to find one object that has them. */
  async #askIfQuiet(signal: AbortSignal | undefined): Promise<void> {
    const { client, clock } = this.#options;
    const now = clock.monotonic();
    if (now - Math.max(this.#askedAt, this.#reflector.heardAt ?? now) < QUIET_MS) return;
    const { labelSelector: _, ...cheap } = this.#selection;
    await client.list(this.#resource, {
      ...cheap,
      limit: 1,
      timeoutMs: QUIET_TIMEOUT_MS,
      ...(signal && { signal }),
    });
    this.#askedAt = now;
  }
}

/** Who wrote which field is often the larger half of an object, and nobody shows it. */
function withoutManagers<T extends KubeObject>(object: T): T {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
