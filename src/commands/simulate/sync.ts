/**
 * The story of the sync job: volumes and claims of a protected cluster come, change and go, and in the end the recovery cluster has
 * exactly those that are left, each claim bound to its own volume.
 */
import {
  aRestoredVolumeGoesOnlyAfterItsOriginal,
  type PointerMove,
  theSitesAreEqual,
  theStoreIsLeftInPeace,
  twoWritersNeverBothMoveThePointer,
} from '../../../test/invariants/sync.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import type { Random } from '../../kit/backoff.ts';
import type { KubeObject } from '../../kit/kube/resource.ts';
import { customResourceDefinition } from '../../kit/manifests/crd.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../sandbox/kinds/resources.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import type { Change, Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import type { Site } from '../../sandbox/simulate/site.ts';
import type { Objects } from '../../sandbox/store/objects.ts';
import { PERSISTENT_VOLUME_SYNCS, SYNC_ENABLED, SYNC_LABEL, type SyncSpec } from '../../sync/contract.ts';
import { sync } from '../../sync/controller.ts';
import { persistentVolumeSyncResource } from '../../sync/custom-resource.ts';
import { NO_KEYS } from '../../sync/export/keys.ts';
import { exportedAt, pointerKey } from '../../sync/export/names.ts';
import { readPointer } from '../../sync/export/records.ts';
import { syncSpec } from '../../sync/spec.ts';
import { SimulatedStore } from '../../sync/store/simulated-store.ts';
import { edit, relabelled, removeIfThere, repeated, whenGone } from './acts.ts';
import { faultyStore } from './faulty-store.ts';

const MINUTES = 60_000;
const NAMESPACE = 'default';
const CLUSTER = 'alpha';
const VOLUMES = 8;
/** Fewer than the breaker lets through. */
const MOST_DELETIONS = 4;
const LAST_MOVE_MS = 15 * MINUTES;
/** Of both sides: a heartbeat and two polls, each of a few requests; and what faults add. */
const STORE_CALLS_PER_MINUTE = 20;
const LABELS = { [SYNC_LABEL]: SYNC_ENABLED };

export const syncStory: Story = {
  name: 'sync',
  stage: (simulation) => new SyncStage(simulation),
  storyMs: 20 * MINUTES,
  settleMs: 40 * MINUTES,
  // A status is written for each export and each look.
  writes: { times: 4, more: 100 },
};

class SyncStage implements Stage {
  readonly jobs: readonly JobProcesses[];
  readonly #simulation: Simulation;
  readonly #recovery: Site;
  readonly #store: SimulatedStore;
  /** The volumes that the protected site has had to give, without a break, since they were restored. */
  readonly #kept = new Set<string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#recovery = simulation.addSite('recovery');
    this.#store = new SimulatedStore(simulation.clock);
    this.#equip(simulation.objects, 'Protected');
    this.#equip(this.#recovery.objects, 'Recovery');
    this.jobs = [this.#processes('protected', simulation.site), this.#processes('recovery', this.#recovery)];
    this.#watch();
  }

  #watch(): void {
    const { objects } = this.#simulation;
    objects.onChange(PERSISTENT_VOLUMES, ({ type, key, object }) => {
      const isGone = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
      if (isGone || object.metadata.labels?.[SYNC_LABEL] !== SYNC_ENABLED) this.#kept.delete(key);
    });
    this.#recovery.objects.onChange(PERSISTENT_VOLUMES, ({ type, key }) => {
      if (type === 'ADDED' && this.#isProtected(key)) this.#kept.add(key);
      if (type !== 'DELETED') return;
      for (const each of aRestoredVolumeGoesOnlyAfterItsOriginal(key, this.#kept.has(key)))
        this.#simulation.violated(each);
      this.#kept.delete(key);
    });
  }

  #isProtected(key: string): boolean {
    const { metadata } = this.#simulation.objects.get(PERSISTENT_VOLUMES, key) ?? {};
    return metadata?.labels?.[SYNC_LABEL] === SYNC_ENABLED && !metadata.deletionTimestamp;
  }

  #equip(objects: Objects, mode: SyncSpec['mode']): void {
    objects.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(persistentVolumeSyncResource));
    grant(objects, syncSpec);
    const spec: SyncSpec = { protectedCluster: CLUSTER, mode, cloudProvider: 's3', retention: 5 };
    objects.create(PERSISTENT_VOLUME_SYNCS, { metadata: { name: CLUSTER }, spec });
  }

  #processes(name: string, site: Site): JobProcesses {
    const setUp: JobProcesses['job']['setUp'] = (parts, life) =>
      sync(parts, { openStore: async () => faultyStore(this.#store.as(name), life, parts.clock), keys: () => NO_KEYS });
    return { job: { name, election: true, setUp }, processes: 2, user: accountOf('sync'), site };
  }

  /** Each comes with its claim at some time; some are relabelled; some go again. */
  steps(random: Random): readonly Step[] {
    const at = (most: number) => Math.floor(random() * most);
    return Array.from({ length: VOLUMES }, (_, index) => {
      const name = nameOf(index);
      const ms = at(LAST_MOVE_MS / 2);
      const later = () => ms + 1_000 + at(LAST_MOVE_MS / 2);
      const changed = { ms: later(), what: `changes ${name}`, act: () => this.#change(name) };
      const removed = { ms: LAST_MOVE_MS + at(MINUTES), what: `removes ${name}`, act: () => this.#remove(name) };
      return [
        { ms, what: `makes ${name} and its claim`, act: () => this.#make(name) },
        ...(random() < 0.5 ? [changed] : []),
        ...(index < MOST_DELETIONS && random() < 0.5 ? [removed] : []),
      ];
    }).flat();
  }

  changes(random: Random): readonly Change[] {
    const [here, there] = [this.#simulation.objects, this.#recovery.objects];
    /** By then all are there. */
    const ms = Math.floor((0.6 + random() * 0.1) * LAST_MOVE_MS);
    const [victim, one, other] = [nameOf(7), nameOf(6), nameOf(5)];
    const labelAll = (value: string | undefined) => {
      for (let index = 0; index < VOLUMES; index++)
        edit(here, PERSISTENT_VOLUMES, nameOf(index), (volume) => relabelled(volume, { [SYNC_LABEL]: value }));
    };
    const follow = (protectedCluster: string) =>
      edit(there, PERSISTENT_VOLUME_SYNCS, CLUSTER, (known) => ({
        ...known,
        spec: { ...known.spec, protectedCluster },
      }));
    return [
      {
        name: 'a volume is deleted and made anew with the same name',
        steps: [
          { ms, what: `removes ${victim}`, act: () => this.#remove(victim) },
          { ms: ms + 1, what: `makes ${victim} anew`, act: () => this.#makeAnew(victim) },
        ],
      },
      {
        name: 'two claims are bound to the volume of the other',
        steps: [
          { ms, what: `removes the claims of ${one} and ${other}`, act: () => this.#release(one, other) },
          { ms: ms + 20_000, what: 'makes them anew', act: () => this.#swap(one, other) },
        ],
      },
      {
        name: 'a rival edits a restored volume back and forth',
        steps: repeated(ms, { times: 12, everyMs: 15_000 }, `a rival labels ${victim} at the recovery site`, (time) =>
          edit(there, PERSISTENT_VOLUMES, victim, (volume) =>
            relabelled(volume, { tier: time % 2 ? undefined : 'lead' }),
          ),
        ),
      },
      {
        name: 'an export is torn for a while',
        steps: this.#tear(ms),
      },
      {
        name: 'nothing is to be synced for a while',
        steps: [
          { ms, what: 'takes the label off all volumes', act: () => labelAll(undefined) },
          { ms: ms + 120_000, what: 'labels all volumes', act: () => labelAll(SYNC_ENABLED) },
        ],
      },
      {
        name: 'the recovery site follows another cluster for a while',
        steps: [
          { ms, what: 'names another cluster', act: () => follow('beta') },
          { ms: ms + 200_000, what: 'names the cluster', act: () => follow(CLUSTER) },
        ],
      },
    ];
  }

  #makeAnew(name: string): void {
    const simulation = this.#simulation;
    whenGone(simulation, PERSISTENT_VOLUMES, name, () =>
      whenGone(simulation, PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/${claimOf(name)}`, () => this.#make(name)),
    );
  }

  #release(...volumes: readonly string[]): void {
    for (const name of volumes)
      removeIfThere(this.#simulation.objects, PERSISTENT_VOLUME_CLAIMS, `${NAMESPACE}/${claimOf(name)}`);
  }

  #swap(one: string, other: string): void {
    for (const name of [one, other])
      edit(this.#simulation.objects, PERSISTENT_VOLUMES, name, ({ spec: { claimRef: _, ...spec } = {}, ...known }) => ({
        ...known,
        spec,
      }));
    this.#claim(claimOf(one), other);
    this.#claim(claimOf(other), one);
  }

  /** The newest export is cut off, and whole again later. */
  #tear(ms: number): readonly Step[] {
    let torn: { readonly key: string; readonly body: Buffer } | undefined;
    const tear = () => {
      const key = this.#store.keys(`${CLUSTER}/`).findLast((each) => exportedAt(CLUSTER, each) !== undefined);
      const body = key && this.#store.body(key);
      if (!key || !body) return;
      torn = { key, body };
      this.#store.write(key, body.subarray(0, body.length >> 1));
    };
    const mend = () => {
      if (torn && this.#store.body(torn.key)) this.#store.write(torn.key, torn.body);
    };
    return [
      { ms, what: 'cuts the newest export off', act: tear },
      { ms: ms + 120_000, what: 'puts it back', act: mend },
    ];
  }

  #make(name: string): void {
    const { objects } = this.#simulation;
    objects.create(PERSISTENT_VOLUMES, {
      metadata: { name, labels: LABELS },
      spec: {
        ...COMMON,
        capacity: { storage: '1Gi' },
        csi: { driver: 'csi.example.com', volumeHandle: name },
        persistentVolumeReclaimPolicy: 'Retain',
      },
    });
    this.#claim(claimOf(name), name);
  }

  #claim(name: string, volumeName: string): void {
    this.#simulation.objects.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name, namespace: NAMESPACE, labels: LABELS },
      spec: { ...COMMON, volumeName, resources: { requests: { storage: '1Gi' } } },
    });
  }

  #change(name: string): void {
    edit(this.#simulation.objects, PERSISTENT_VOLUMES, name, (volume) => relabelled(volume, { tier: 'gold' }));
  }

  #remove(name: string): void {
    this.#release(name);
    removeIfThere(this.#simulation.objects, PERSISTENT_VOLUMES, name);
  }

  get #pointerMoves(): readonly PointerMove[] {
    const expected = { cluster: CLUSTER, keys: NO_KEYS, isRequired: false };
    return this.#store.history.flatMap(({ key, body, condition }) => {
      if (key !== pointerKey(CLUSTER) || !body) return [];
      const { clusterUid, epoch, newest } = readPointer(body, expected);
      return [{ writer: clusterUid, epoch, sequence: newest?.sequence ?? 0, isConditional: condition !== undefined }];
    });
  }

  outcome(): unknown {
    return picture(this.#recovery.objects);
  }

  wrong(): readonly string[] {
    const syncs = [
      ...this.#simulation.objects.list(PERSISTENT_VOLUME_SYNCS),
      ...this.#recovery.objects.list(PERSISTENT_VOLUME_SYNCS),
    ];
    const minutes = this.#simulation.clock.monotonic() / MINUTES;
    const calls = this.#store.calls.length;
    const failing = syncs.filter(({ status }) => status?.succeeded !== true);
    return [
      ...theSitesAreEqual(picture(this.#simulation.objects), picture(this.#recovery.objects)),
      ...theStoreIsLeftInPeace(calls, minutes, STORE_CALLS_PER_MINUTE),
      ...twoWritersNeverBothMoveThePointer(this.#pointerMoves),
      ...failing.map(({ spec, status }) => `${spec.mode} does not succeed: ${status?.errorMessage}`),
    ];
  }
}

const COMMON = { accessModes: ['ReadWriteOnce'], storageClassName: '' };

const nameOf = (index: number): string => `synced-${index}`;

const isOurs = ({ metadata }: KubeObject): boolean => metadata.name?.includes('synced-') === true;

const claimOf = (volume: string): string => `claim-of-${volume}`;

/** What people would compare. */
const picture = (objects: Objects) => ({
  volumes: objects
    .list(PERSISTENT_VOLUMES)
    .filter(isOurs)
    .map(({ metadata, spec, status }) => [metadata.name, metadata.labels?.tier, spec?.claimRef?.name, status?.phase]),
  claims: objects
    .list(PERSISTENT_VOLUME_CLAIMS)
    .filter(isOurs)
    .map(({ metadata, spec, status }) => [metadata.name, spec?.volumeName, status?.phase]),
});
