/**
 * The story of the sync job: volumes and claims of a protected cluster come, change and go, and in the end the recovery cluster has
 * exactly those that are left, each claim bound to its own volume.
 */
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import type { Random } from '../../kit/backoff.ts';
import { customResourceDefinition } from '../../kit/manifests/crd.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../sandbox/kinds/resources.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import type { Stage, Step, Story } from '../../sandbox/simulate/simulate.ts';
import type { JobProcesses, Simulation } from '../../sandbox/simulate/simulation.ts';
import type { Site } from '../../sandbox/simulate/site.ts';
import type { Objects } from '../../sandbox/store/objects.ts';
import { PERSISTENT_VOLUME_SYNCS, SYNC_ENABLED, SYNC_LABEL, type SyncSpec } from '../../sync/contract.ts';
import { sync } from '../../sync/controller.ts';
import { persistentVolumeSyncResource } from '../../sync/custom-resource.ts';
import { NO_KEYS } from '../../sync/export/keys.ts';
import { syncSpec } from '../../sync/spec.ts';
import { SimulatedStore } from '../../sync/store/simulated-store.ts';
import { faultyStore } from './faulty-store.ts';

const MINUTES = 60_000;
const NAMESPACE = 'default';
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

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#recovery = simulation.addSite('recovery');
    this.#store = new SimulatedStore(simulation.clock);
    this.#equip(simulation.objects, 'Protected');
    this.#equip(this.#recovery.objects, 'Recovery');
    this.jobs = [this.#processes('protected', simulation.site), this.#processes('recovery', this.#recovery)];
    this.#recovery.objects.onChange(PERSISTENT_VOLUMES, ({ type, key }) => {
      if (type === 'DELETED' && simulation.objects.get(PERSISTENT_VOLUMES, key))
        simulation.violated(`${key} is deleted at the recovery site, and the protected one has it`);
    });
  }

  #equip(objects: Objects, mode: SyncSpec['mode']): void {
    objects.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(persistentVolumeSyncResource));
    grant(objects, syncSpec);
    const spec: SyncSpec = { protectedCluster: 'alpha', mode, cloudProvider: 's3', retention: 5 };
    objects.create(PERSISTENT_VOLUME_SYNCS, { metadata: { name: 'alpha' }, spec });
  }

  #processes(name: string, site: Site): JobProcesses {
    const setUp: JobProcesses['job']['setUp'] = (parts, life) =>
      sync(parts, { openStore: async () => faultyStore(this.#store.as(name), life), keys: () => NO_KEYS });
    return { job: { name, election: true, setUp }, processes: 2, user: accountOf('sync'), site };
  }

  /** Each comes with its claim at some time; some are relabelled; some go again. */
  steps(random: Random): readonly Step[] {
    const at = (most: number) => Math.floor(random() * most);
    return Array.from({ length: VOLUMES }, (_, index) => {
      const name = `pv-${index}`;
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

  #make(name: string): void {
    const { objects } = this.#simulation;
    const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
    objects.create(PERSISTENT_VOLUMES, {
      metadata: { name, labels: LABELS },
      spec: {
        ...common,
        capacity: { storage: '1Gi' },
        csi: { driver: 'csi.example.com', volumeHandle: name },
        persistentVolumeReclaimPolicy: 'Retain',
      },
    });
    objects.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: claimOf(name), namespace: NAMESPACE, labels: LABELS },
      spec: { ...common, volumeName: name, resources: { requests: { storage: '1Gi' } } },
    });
  }

  #change(name: string): void {
    const { objects } = this.#simulation;
    const volume = objects.get(PERSISTENT_VOLUMES, name);
    if (!volume || volume.metadata.deletionTimestamp) return;
    const labels = { ...volume.metadata.labels, tier: 'gold' };
    objects.update(PERSISTENT_VOLUMES, { ...volume, metadata: { ...volume.metadata, labels } });
  }

  #remove(name: string): void {
    const { objects } = this.#simulation;
    const claim = `${NAMESPACE}/${claimOf(name)}`;
    if (objects.get(PERSISTENT_VOLUME_CLAIMS, claim)) objects.remove(PERSISTENT_VOLUME_CLAIMS, claim);
    if (objects.get(PERSISTENT_VOLUMES, name)) objects.remove(PERSISTENT_VOLUMES, name);
  }

  outcome(): unknown {
    return picture(this.#recovery.objects);
  }

  wrong(): readonly string[] {
    const [here, there] = [this.#simulation.objects, this.#recovery.objects].map((each) =>
      JSON.stringify(picture(each)),
    );
    const syncs = [
      ...this.#simulation.objects.list(PERSISTENT_VOLUME_SYNCS),
      ...this.#recovery.objects.list(PERSISTENT_VOLUME_SYNCS),
    ];
    const minutes = this.#simulation.clock.monotonic() / MINUTES;
    const calls = this.#store.calls.length;
    const failing = syncs.filter(({ status }) => status?.succeeded !== true);
    return [
      ...(here === there ? [] : [`the recovery site has ${there}, and the protected one ${here}`]),
      ...(calls <= minutes * STORE_CALLS_PER_MINUTE
        ? []
        : [`the store is called ${calls} times in ${minutes} minutes`]),
      ...failing.map(({ spec, status }) => `${spec.mode} does not succeed: ${status?.errorMessage}`),
    ];
  }
}

const claimOf = (volume: string): string => `claim-of-${volume}`;

/** What people would compare. */
const picture = (objects: Objects) => ({
  volumes: objects
    .list(PERSISTENT_VOLUMES)
    .map(({ metadata, spec, status }) => [metadata.name, metadata.labels?.tier, spec?.claimRef?.name, status?.phase]),
  claims: objects
    .list(PERSISTENT_VOLUME_CLAIMS)
    .map(({ metadata, spec, status }) => [metadata.name, spec?.volumeName, status?.phase]),
});
