/** For tests: a cluster in memory with the whole operator of sync in it, on virtual time, and an object store that others share. */
import { FilledViews } from '../api/filled-views.ts';
import { SimulatedCluster } from '../api/simulated-cluster.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { Controller } from '../kit/controller/controller.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { KubeObject } from '../kit/kube/resource.ts';
import { Events } from '../kit/observe/events.ts';
import { Metrics } from '../kit/observe/metrics.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import type { PersistentVolumeSync, SyncSpec, SyncStatus } from './contract.ts';
import { sync } from './controller.ts';
import { type Keys, NO_KEYS } from './export/keys.ts';
import type { SimulatedStore } from './store/simulated-store.ts';

const SYNCS = 'persistentvolumesyncs';

export class SimulatedSite {
  readonly cluster: SimulatedCluster;
  readonly log = new RecordingLog();
  /** What was asked of the API server that changes something, as `PATCH /api/…`. */
  readonly writes: string[] = [];
  /** Of the operator that was started last. */
  metrics = new Metrics();
  keys: Keys = NO_KEYS;
  /** What becomes of a request instead of an answer, as `PATCH /api/…`. */
  refuses: (request: string) => Error | undefined = () => undefined;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #store: SimulatedStore;
  #stop = new AbortController();

  constructor(clock: Clock, name: string, store: SimulatedStore) {
    this.#clock = clock;
    this.#name = name;
    this.#store = store;
    this.cluster = new SimulatedCluster(clock);
    this.cluster.put('namespaces', { metadata: { name: 'kube-system', uid: `uid-of-${name}` } });
  }

  /** Starts the operator, or a new one in the place of one that was killed. Held back, it is as before its caches are complete. */
  start({ isHeldBack = false } = {}): void {
    this.#stop = new AbortController();
    const { log } = this;
    const [clock, random] = [this.#clock, () => 0.5];
    const client = this.client();
    const events = new Events({ client, clock, random, log, instance: 'test' });
    const caches = new FilledViews();
    const controller = (its: ConstructorParameters<typeof Controller>[0]) =>
      new Controller(its, { clock, random, log });
    const openStore = async () => this.#store.as(this.#name);
    this.metrics = new Metrics();
    const { metrics } = this;
    const job = { client, caches, events, metrics, log, clock, controller };
    const runnables = sync(job, { openStore, keys: () => this.keys });
    caches.fill(this.cluster);
    const forget = this.cluster.onChange(() => caches.fill(this.cluster));
    this.#stop.signal.addEventListener('abort', forget);
    if (!isHeldBack) for (const runnable of runnables) void runnable.run(this.#stop.signal);
  }

  /** As the operator has one, also for who does something beside it. */
  client(): KubeClient {
    return new KubeClient({ transport: this.#transport(), clock: this.#clock, random: () => 0.5 });
  }

  kill(): void {
    this.#stop.abort();
  }

  declare(name: string, spec: Partial<SyncSpec>, metadata: object = {}): void {
    const whole = { protectedCluster: 'alpha', mode: 'Protected', cloudProvider: 's3', retention: 5, ...spec } as const;
    this.put({ metadata: { name, generation: 1, ...metadata }, spec: whole } as PersistentVolumeSync);
  }

  change(name: string, spec: Partial<SyncSpec>): void {
    const known = this.look(name);
    const { generation = 1 } = known.metadata;
    this.put({
      ...known,
      metadata: { ...known.metadata, generation: generation + 1 },
      spec: { ...known.spec, ...spec },
    });
  }

  put(object: PersistentVolumeSync): void {
    this.cluster.put(SYNCS, object);
  }

  look(name: string): PersistentVolumeSync {
    const found = this.cluster.all(SYNCS).find(({ metadata }) => metadata.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found as PersistentVolumeSync;
  }

  has(name: string): boolean {
    return this.cluster.all(SYNCS).some(({ metadata }) => metadata.name === name);
  }

  remove(name: string): void {
    this.cluster.remove(name, SYNCS);
  }

  status(name: string): SyncStatus {
    return this.look(name).status ?? {};
  }

  /** `Exported=True Exported Deposed=False IsTheWriter` */
  conditions(name: string): string {
    const { conditions = [] } = this.status(name);
    return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).join(' ');
  }

  names(collection: string): readonly string[] {
    return this.cluster.all(collection).map(({ metadata }: KubeObject) => metadata.name ?? '');
  }

  #transport() {
    const { signal } = this.#stop;
    return {
      request: async (request: Parameters<SimulatedCluster['answer']>[0]) => {
        signal.throwIfAborted();
        const refusal = this.refuses(`${request.method} ${request.path}`);
        if (refusal) throw refusal;
        const isEvent = request.path.includes('/events');
        if (request.method !== 'GET' && !isEvent) this.writes.push(`${request.method} ${request.path.split('?')[0]}`);
        return this.cluster.answer(request);
      },
      close: async () => {},
    };
  }
}
