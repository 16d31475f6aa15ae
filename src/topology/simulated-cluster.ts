/**
 * For tests: the volumes, claims, pods and nodes of a cluster, and a job whose caches hear of changes when the test says so: late, in
 * any order, again, or not at all until everything is read anew. Patches of volumes are carried out as the API server does.
 */
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { PODS } from '../api/pods.ts';
import type { ViewSpec } from '../kit/cache/caches.ts';
import { Store, type View } from '../kit/cache/store.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { Controller } from '../kit/controller/controller.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { FakeTransport, type JournalEntry, refusal } from '../kit/kube/fake-transport.ts';
import { type KubeObject, keyOfObject, type Resource } from '../kit/kube/resource.ts';
import { Events } from '../kit/observe/events.ts';
import { Metrics } from '../kit/observe/metrics.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { DEFAULT_POLICY, type Policy } from './contract.ts';
import { topology } from './controller.ts';

interface Collection {
  readonly objects: Map<string, KubeObject>;
  /** As the caches know them. */
  readonly heard: Map<string, KubeObject>;
  readonly stores: Store<KubeObject, unknown, string>[];
}

/** The objects of a cluster, as they are or as they were heard of. */
export interface Objects {
  get<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined;
  all<T extends KubeObject>(resource: Resource<T>): readonly T[];
}

export interface VolumePatch {
  readonly metadata: {
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec?: object;
}

const MOST_ROUNDS = 50;

const RESOURCES = [PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS, PODS, NODES] as const;

export class SimulatedCluster implements Objects {
  readonly clock = new VirtualClock();
  readonly log = new RecordingLog();
  readonly transport = new FakeTransport();
  /** Of the process that runs now. */
  metrics = new Metrics();
  /** Patches that left the labels as they were. */
  readonly patchesForNothing: VolumePatch[] = [];
  /** Told of every patch that is carried out, and of the volume before it. */
  onPatch: (before: PersistentVolume, patch: VolumePatch) => void = () => {};
  /** Told when the caches have heard of something, before the job does anything about it. */
  onHear: () => void = () => {};
  /** What the job can know. */
  readonly heard: Objects = {
    get: <T extends KubeObject>(resource: Resource<T>, key: string) =>
      this.#collection(resource).heard.get(key) as T | undefined,
    all: <T extends KubeObject>(resource: Resource<T>) => [...this.#collection(resource).heard.values()] as T[],
  };
  readonly #collections = new Map<Resource, Collection>(
    RESOURCES.map((each) => [each, { objects: new Map(), heard: new Map(), stores: [] }]),
  );
  /** Changes that the caches have not heard of. */
  readonly #unheard = new Set<() => void>();
  #version = 0;
  #heardAt = 0;
  #process = new AbortController();
  #restart = () => {};

  constructor() {
    this.transport.on('PATCH', /persistentvolumes/, this.carryOut);
    this.transport.on('POST', /events$/, ({ body }) => ({ status: 201, body }));
    this.transport.on('PATCH', /events/, ({ body }) => ({ status: 200, body }));
  }

  /** Starts the job, with caches that have heard of everything so far. */
  start(policy: Partial<Policy> = {}, settings: { readonly dryRun?: boolean; readonly resyncMs?: number } = {}): void {
    this.#restart = () => this.start(policy, settings);
    this.#process = new AbortController();
    this.metrics = new Metrics();
    const { clock, log, metrics } = this;
    const random = () => 0.5;
    const client = new KubeClient({ transport: this.transport, clock, random });
    const events = new Events({ client, clock, random, log, instance: 'test' });
    const parts = {
      client,
      caches: this,
      events,
      metrics,
      log,
      clock,
      controller: (its: ConstructorParameters<typeof Controller>[0]) => new Controller(its, { clock, random, log }),
    };
    const runnables = topology(parts, {
      policy: { ...DEFAULT_POLICY, ...policy },
      selector: '',
      resyncMs: settings.resyncMs ?? 3_600_000,
      narrowAfterMs: 30_000,
      dryRun: settings.dryRun ?? false,
    });
    this.readAnew();
    for (const runnable of runnables) void runnable.run(this.#process.signal);
  }

  /** The process ends, and another one takes its place, which knows nothing but what it reads. */
  restart(): void {
    this.#process.abort();
    for (const { stores } of this.#collections.values()) stores.length = 0;
    this.#restart();
  }

  view<T extends KubeObject, P, I extends string = never>(resource: Resource<T>, spec: ViewSpec<T, P, I>): View<P, I> {
    const staleMs = () => this.clock.monotonic() - this.#heardAt;
    const coverage = {
      synced: true,
      available: true,
      get staleMs() {
        return staleMs();
      },
    };
    const store = new Store<T, P, I>(spec.project, coverage);
    if (spec.indexes) store.index(spec.indexes);
    this.#collection(resource).stores.push(store as unknown as Collection['stores'][number]);
    return store;
  }

  /** Makes the object, or replaces it under its uid. */
  put<T extends KubeObject>(resource: Resource<T>, object: T): void {
    const key = keyOfObject(object);
    const { objects } = this.#collection(resource);
    const version = ++this.#version;
    const uid = objects.get(key)?.metadata.uid ?? object.metadata.uid ?? `uid-${version}`;
    objects.set(key, { ...object, metadata: { ...object.metadata, uid, resourceVersion: `${version}` } });
    this.#changed(resource, key);
  }

  remove(resource: Resource, key: string): void {
    this.#collection(resource).objects.delete(key);
    this.#changed(resource, key);
  }

  get<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined {
    return this.#collection(resource).objects.get(key) as T | undefined;
  }

  all<T extends KubeObject>(resource: Resource<T>): readonly T[] {
    return [...this.#collection(resource).objects.values()] as T[];
  }

  labelsOf(volume: string): Readonly<Record<string, string>> {
    return this.get(PERSISTENT_VOLUMES, volume)?.metadata.labels ?? {};
  }

  /** The patches of volumes that were sent, oldest first. */
  get patches(): readonly VolumePatch[] {
    const patches = this.transport.journal.filter(
      ({ method, path }) => method === 'PATCH' && !path.includes('/events/'),
    );
    return patches.map(({ body }) => body as VolumePatch);
  }

  /** The reasons of the Events that were told, oldest first. */
  get events(): readonly string[] {
    return this.transport.bodies<{ reason: string }>('POST').map(({ reason }) => reason);
  }

  /** The caches hear of some of the changes that they have not heard of, chosen by `choose`; or of all. */
  hear(choose: (index: number) => boolean = () => true): void {
    this.#heardAt = this.clock.monotonic();
    for (const [index, tell] of [...this.#unheard].entries()) {
      if (!choose(index)) continue;
      this.#unheard.delete(tell);
      tell();
    }
    this.onHear();
  }

  /** Changes that the caches have not heard of are never told by themselves. */
  loseEvents(): void {
    this.#unheard.clear();
  }

  /** The caches read everything anew, as they do after a watch broke. */
  readAnew(): void {
    this.#heardAt = this.clock.monotonic();
    this.#unheard.clear();
    for (const { objects, heard, stores } of this.#collections.values()) {
      heard.clear();
      for (const [key, object] of objects) heard.set(key, object);
      for (const store of stores) {
        for (const object of objects.values()) store.put(object);
        for (const key of [...store.keys()]) if (!objects.has(key)) store.remove(key);
      }
    }
    this.onHear();
  }

  /** The job does all that it does without waiting. */
  async react(): Promise<void> {
    for (let turn = 0; turn < 4; turn++) await this.clock.advance(0);
  }

  /** The caches hear of everything as it comes, until nothing more happens within this time. Fails when something always does. */
  async settle(ms = 60_000): Promise<void> {
    let rounds = 0;
    for (let seen = -1; seen < this.#version; ) {
      if (++rounds > MOST_ROUNDS) throw new Error(`it did not come to rest in ${MOST_ROUNDS} rounds`);
      seen = this.#version;
      this.hear();
      await this.react();
      await this.clock.advance(ms);
    }
  }

  #collection(resource: Resource): Collection {
    const found = this.#collections.get(resource);
    if (!found) throw new Error(`there are no ${resource.plural} in this cluster`);
    return found;
  }

  /** What the caches hear is the object as it is by then. */
  #changed(resource: Resource, key: string): void {
    const { objects, heard, stores } = this.#collection(resource);
    this.#unheard.add(() => {
      const object = objects.get(key);
      if (object) heard.set(key, object);
      else heard.delete(key);
      for (const store of stores) {
        if (object) store.put(object);
        else store.remove(key);
      }
    });
  }

  /** What the server does with a patch of a volume. */
  readonly carryOut = ({ path, body, query }: JournalEntry) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const volume = this.get(PERSISTENT_VOLUMES, name);
    const { metadata, spec } = body as VolumePatch;
    if (!volume) return refusal(404, 'NotFound', `there is no volume ${name}`);
    if (isAnother(volume, metadata)) return refusal(409, 'Conflict', 'it is another by now');
    if (changesNothing(volume, body as VolumePatch)) this.patchesForNothing.push(body as VolumePatch);
    this.onPatch(volume, body as VolumePatch);
    const labels = { ...volume.metadata.labels, ...metadata.labels };
    const annotations = { ...volume.metadata.annotations, ...metadata.annotations };
    const manager = query.get('fieldManager') ?? 'unknown';
    const managedFields = managedBy(manager, Object.keys(metadata.labels ?? {}), volume);
    this.put(PERSISTENT_VOLUMES, {
      ...volume,
      metadata: { ...volume.metadata, labels, annotations, managedFields },
      spec: { ...volume.spec, ...spec },
    });
    return { status: 200, body: this.get(PERSISTENT_VOLUMES, name) };
  };
}

const changesNothing = ({ metadata }: KubeObject, patch: VolumePatch): boolean =>
  patch.spec === undefined &&
  Object.entries(patch.metadata.labels ?? {}).every(([key, value]) => metadata.labels?.[key] === value);

const isAnother = ({ metadata }: KubeObject, { uid, resourceVersion }: VolumePatch['metadata']): boolean =>
  (uid !== undefined && uid !== metadata.uid) ||
  (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion);

/** The managers of a volume after one of them wrote these labels. */
export function managedBy(manager: string, labels: readonly string[], { metadata }: PersistentVolume) {
  const fields = new Set(labels.map((label) => `f:${label}`));
  const others = (metadata.managedFields ?? []).map((entry) => {
    const owned = Object.entries(entry.fieldsV1?.['f:metadata']?.['f:labels'] ?? {});
    const left = Object.fromEntries(owned.filter(([field]) => !fields.has(field)));
    return { ...entry, fieldsV1: { 'f:metadata': { 'f:labels': left } } };
  });
  const written = Object.fromEntries([...fields].map((field) => [field, {}]));
  return [...others, { manager, fieldsV1: { 'f:metadata': { 'f:labels': written } } }];
}
