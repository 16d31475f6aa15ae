/** For tests: one process of the operator. It can be killed at any call, and what it does not hear of it does not know. */

import type { ViewSpec } from '../kit/cache/caches.ts';
import { Store, type View } from '../kit/cache/store.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { Controller } from '../kit/controller/controller.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { type KubeObject, keyOfObject, type Resource } from '../kit/kube/resource.ts';
import { ConnectionError, type Transport } from '../kit/kube/transport.ts';
import { Events } from '../kit/observe/events.ts';
import { Metrics } from '../kit/observe/metrics.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import type { Agents } from './agents.ts';
import { pool } from './controller.ts';
import type { SimulatedAgents } from './simulated-agents.ts';
import type { SimulatedApi } from './simulated-api.ts';

/** What happens to a call: it is as if it had not been made, or it is done and nobody hears of it. */
export type Fault = 'crash-before' | 'crash-after' | 'lost-before' | 'lost-after';

export interface ProcessParts {
  readonly clock: Clock;
  readonly api: SimulatedApi;
  readonly agents: SimulatedAgents;
  /** Asked for every call that may change something. */
  readonly strike: (call: string) => Fault | undefined;
  /** After how long a cache hears of a change; undefined for never, until everything is read anew. */
  readonly lagMs: () => number | undefined;
}

interface Collection {
  readonly name: string;
  readonly isWanted: (object: KubeObject) => boolean;
  readonly store: Pick<Store<KubeObject, unknown, string>, 'put' | 'remove' | 'keys'>;
}

export class SimulatedProcess {
  readonly log = new RecordingLog();
  readonly metrics = new Metrics();
  isDead = false;
  readonly #parts: ProcessParts;
  readonly #collections: Collection[] = [];
  readonly #stop = new AbortController();
  readonly #forget: () => void;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    const clock = this.#clock();
    const random = () => 0.5;
    const client = new KubeClient({ transport: this.#transport(), clock, random });
    const events = new Events({ client, clock, random, log: this.log, instance: 'test' });
    const { log, metrics } = this;
    const controller = (its: ConstructorParameters<typeof Controller>[0]) =>
      new Controller(its, { clock, random, log });
    const job = { client, caches: this, events, metrics, log, clock, controller };
    const runnables = pool(job, { secret: (bytes) => 'ab'.repeat(bytes), agents: this.#agents() });
    this.readAnew();
    this.#forget = parts.api.onChange(({ collection, key }) => this.#heardLater(collection, key));
    for (const runnable of runnables) void runnable.run(this.#stop.signal);
  }

  kill(): void {
    this.isDead = true;
    this.#forget();
  }

  view<T extends KubeObject, P, I extends string = never>(
    { plural }: Resource<T>,
    spec: ViewSpec<T, P, I>,
  ): View<P, I> {
    const store = new Store<T, P, I>(spec.project, { synced: true, available: true, staleMs: 0 });
    if (spec.indexes) store.index(spec.indexes);
    const label = spec.labelSelector;
    const isWanted = ({ metadata }: KubeObject) => label === undefined || metadata.labels?.[label] !== undefined;
    this.#collections.push({ name: plural, isWanted, store: store as unknown as Collection['store'] });
    return store;
  }

  /** As after a watch broke. */
  readAnew(): void {
    for (const { name, isWanted, store } of this.#collections) {
      const objects = this.#parts.api.all(name).filter(isWanted);
      const keys = new Set(objects.map(keyOfObject));
      for (const key of [...store.keys()]) if (!keys.has(key)) store.remove(key);
      for (const object of objects) store.put(object);
    }
  }

  /** What it hears is the object as it is by then. */
  #heardLater(collection: string, key: string): void {
    const lagMs = this.#parts.lagMs();
    if (lagMs === undefined) return;
    this.#clock().after(lagMs, () => {
      const object = this.#parts.api.get(collection, key);
      for (const { name, isWanted, store } of this.#collections) {
        if (name !== collection) continue;
        if (object && isWanted(object)) store.put(object);
        else store.remove(key);
      }
    });
  }

  /** Who is dead is not called back. */
  #clock(): Clock {
    const { clock } = this.#parts;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, call) => clock.after(ms, () => !this.isDead && call()),
    };
  }

  #transport(): Transport {
    const { api } = this.#parts;
    return {
      request: async (request) => {
        request.signal.throwIfAborted();
        request.beforeSend?.();
        const changes =
          request.method !== 'GET' && !request.path.includes('dryRun') && !request.path.includes('/events');
        return this.#perform(changes ? `${request.method} ${request.path}` : undefined, () => api.answer(request));
      },
      close: async () => {},
    };
  }

  #agents(): Agents {
    const { agents, clock } = this.#parts;
    return {
      status: (to, token) => this.#perform(undefined, () => agents.status(to, token)),
      isEmpty: (to) => this.#perform(undefined, () => agents.isEmpty(to)),
      order: (to, _token, order) =>
        this.#perform(`${order.kind} ${to.name}`, () => agents.order(to, order, clock.now())).catch(() => ({
          known: false,
          why: 'no answer',
        })),
    };
  }

  async #perform<T>(call: string | undefined, act: () => T): Promise<T> {
    if (this.isDead) return never();
    const fault = call === undefined ? undefined : this.#parts.strike(call);
    if (fault === 'crash-before') this.kill();
    if (fault === 'lost-before') throw new ConnectionError('reset', { mayHaveHappened: true });
    if (this.isDead) return never();
    const result = act();
    if (fault === 'crash-after') this.kill();
    await Promise.resolve();
    if (fault === 'lost-after') throw new ConnectionError('reset', { mayHaveHappened: true });
    return this.isDead ? never() : result;
  }
}

const never = (): Promise<never> => new Promise(() => {});
