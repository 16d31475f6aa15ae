/** What is in the sandbox before a job begins, at any size. */
import { CONFIG_MAPS } from '../../src/api/config-maps.ts';
import { NAMESPACES } from '../../src/api/namespaces.ts';
import { NODES } from '../../src/api/nodes.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../src/api/persistent-volumes.ts';
import { PODS } from '../../src/api/pods.ts';
import { customResources } from '../../src/custom-resources.ts';
import { CONFIG_ANNOTATION, NODE_LABEL } from '../../src/devices/contract.ts';
import { DEVICE_DIR } from '../../src/devices/simulated-disks.ts';
import type { KubeObject, Resource } from '../../src/kit/kube/resource.ts';
import { customResourceDefinition } from '../../src/kit/manifests/crd.ts';
import { NODE_ID_LABEL, STORAGE_CLASS } from '../../src/lvm/contract.ts';
import { PV_POOLS } from '../../src/pool/contract.ts';
import type { Cluster } from '../../src/sandbox/cluster.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/sandbox/kinds/resources.ts';
import type { Objects } from '../../src/sandbox/store/objects.ts';
import { type Mode, PERSISTENT_VOLUME_SYNCS, SYNC_ENABLED, SYNC_LABEL } from '../../src/sync/contract.ts';
import {
  claimName,
  NAMESPACES as NAMESPACE_COUNT,
  nodeName,
  PODS_OF_A_NODE,
  podName,
  podNamespace,
  podStatus,
  podToCreate,
} from '../world/pod.ts';
import {
  claimStatus,
  claimToCreate,
  type Labels,
  nodeToCreate,
  volumeName,
  volumeStatus,
  volumeToCreate,
} from '../world/volume.ts';
import { times, writeCopies } from './copies.ts';
import { playStatefulSets } from './played-sets.ts';

/** Of each node, of those jobs that run on every node. */
export const VOLUMES_OF_A_NODE = 20;
/** Of each pool. */
export const AGENTS_OF_A_POOL = 20;
export const CLUSTER = 'scale';
/** The node of the agent that is measured. */
export const OWN_NODE = 'node-own';
export const GROUP = 'storage_bulk';
/** Said when all changes were made that were asked for. */
export const CHANGED = 'changed';

export type SceneName = 'topology' | 'protected' | 'recovery' | 'devices' | 'lvm' | 'pool';

export class Scene {
  readonly #cluster: Cluster;
  readonly #objects: Objects;
  readonly #size: number;

  constructor(cluster: Cluster, size: number) {
    const { objects } = cluster;
    this.#cluster = cluster;
    this.#objects = objects;
    this.#size = size;
    for (const resource of customResources)
      objects.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(resource));
  }

  async fill(name: SceneName): Promise<void> {
    await this.#scenes[name]();
  }

  /** Somebody changes volumes that are none of the measured agent's. */
  async change(count: number): Promise<void> {
    await times(count, (number) => {
      const name = foreignName(number % this.#size);
      const volume = this.#objects.get(PERSISTENT_VOLUMES, name);
      if (!volume) throw new Error(`there is no volume ${name}`);
      const annotations = { ...volume.metadata.annotations, 'bench.example.com/change': `${number}` };
      this.#objects.update(PERSISTENT_VOLUMES, { ...volume, metadata: { ...volume.metadata, annotations } });
    });
    this.#objects.create(CONFIG_MAPS, { metadata: { name: CHANGED, namespace: 'kube-public' } });
  }

  readonly #scenes: Readonly<Record<SceneName, () => Promise<void>>> = {
    topology: async () => {
      this.#makeNamespaces();
      await this.#makeNodes();
      await this.#makePairs({});
      this.#makeWithStatus(PODS, podToCreate(0), podStatus(0));
      await this.#copy(PODS, `${podNamespace(0)}/${podName(0)}`);
    },
    protected: async () => {
      this.#makeNamespaces();
      await this.#makePairs({ [SYNC_LABEL]: SYNC_ENABLED });
      this.#makeSync('Protected');
    },
    recovery: async () => this.#makeSync('Recovery'),
    devices: async () => {
      await this.#makeNodes();
      this.#makeOwnNode({}, { [CONFIG_ANNOTATION]: 'disks' });
      const data = { deviceDir: DEVICE_DIR, deviceNameFilter: '.*', volumeMode: 'Block', storageClassName: 'disks' };
      this.#objects.create(CONFIG_MAPS, { metadata: { name: 'disks', namespace: 'default' }, data });
      await this.#makeForeign({ [NODE_LABEL]: nodeOf(0) }, 'disks');
      this.#offerOwn();
    },
    lvm: async () => {
      await this.#makeNodes();
      this.#makeOwnNode({ [NODE_ID_LABEL]: OWN_NODE }, {});
      await this.#makeForeign({}, STORAGE_CLASS);
      await times(VOLUMES_OF_A_NODE, (number) => this.#makeLocal(ownName(number), OWN_NODE, {}, STORAGE_CLASS));
    },
    pool: async () => {
      playStatefulSets(this.#cluster);
      await times(this.#size / AGENTS_OF_A_POOL, (number) => {
        const spec = { image: 'holdfast:1', numPVs: AGENTS_OF_A_POOL, pvSizeGB: 1, args: ['storage-agent'] };
        this.#objects.create(PV_POOLS, { metadata: { name: `pool-${number}`, namespace: 'default' }, spec });
      });
    },
  };

  #makeNamespaces(): void {
    for (let number = 0; number < NAMESPACE_COUNT; number++)
      this.#objects.create(NAMESPACES, { metadata: { name: podNamespace(number) } });
  }

  async #makeNodes(): Promise<void> {
    const nodes = Math.ceil(this.#size / VOLUMES_OF_A_NODE);
    this.#create(NODES, nodeToCreate(0));
    const renamed = (text: string, number: number) => text.replaceAll(nodeName(0), nodeName(number * PODS_OF_A_NODE));
    await writeCopies(this.#cluster, NODES, { pattern: nodeName(0), count: nodes, renamed });
  }

  #makeOwnNode(labels: Labels, annotations: Labels): void {
    const metadata = { name: OWN_NODE, labels: { 'kubernetes.io/hostname': OWN_NODE, ...labels }, annotations };
    this.#objects.create(NODES, { metadata });
  }

  async #makePairs(labels: Labels): Promise<void> {
    const claim = this.#makeWithStatus(PERSISTENT_VOLUME_CLAIMS, claimToCreate(0, labels), claimStatus);
    const volume = volumeToCreate(0, { claimUid: claim.metadata.uid ?? '', labels });
    this.#makeWithStatus(PERSISTENT_VOLUMES, volume, volumeStatus);
    await this.#copy(PERSISTENT_VOLUME_CLAIMS, `${podNamespace(0)}/${claimName(0)}`);
    await this.#copy(PERSISTENT_VOLUMES, volumeName(0));
  }

  async #makeForeign(labels: Labels, storageClassName: string): Promise<void> {
    this.#makeLocal(foreignName(0), nodeOf(0), labels, storageClassName);
    const renamed = (text: string, number: number) =>
      text.replaceAll(foreignName(0), foreignName(number)).replaceAll(nodeOf(0), nodeOf(number));
    await writeCopies(this.#cluster, PERSISTENT_VOLUMES, { pattern: foreignName(0), count: this.#size, renamed });
  }

  /** As many as there are to be of one of the first pod, claim and volume. */
  async #copy(resource: Resource, pattern: string): Promise<void> {
    const renamed = (text: string, number: number) =>
      text
        .replaceAll(podName(0), podName(number))
        .replaceAll(nodeName(0), nodeName(number))
        .replaceAll(podNamespace(0), podNamespace(number));
    await writeCopies(this.#cluster, resource, { pattern, count: this.#size, renamed });
  }

  #makeLocal(name: string, node: string, labels: Labels, storageClassName: string): void {
    const matchExpressions = [{ key: NODE_ID_LABEL, operator: 'In' as const, values: [node] }];
    this.#objects.create(PERSISTENT_VOLUMES, {
      metadata: { name, labels },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '4Mi' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName,
        local: { path: `/mnt/pv/${name}` },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
    });
  }

  /** As the binder does, for the volumes of the measured agent. */
  #offerOwn(): void {
    this.#objects.onChange(PERSISTENT_VOLUMES, ({ type, object }) => {
      if (type !== 'ADDED' || object.metadata.labels?.[NODE_LABEL] !== OWN_NODE) return;
      this.#objects.update(PERSISTENT_VOLUMES, { ...object, status: { phase: 'Available' } }, 'status');
    });
  }

  #makeSync(mode: Mode): void {
    const spec = { protectedCluster: CLUSTER, mode, cloudProvider: 'file', retention: 5, pollingInterval: 1 };
    this.#objects.create(PERSISTENT_VOLUME_SYNCS, { metadata: { name: CLUSTER }, spec });
  }

  #makeWithStatus(resource: Resource, object: object, status: object): KubeObject {
    const made = this.#create(resource, object);
    return this.#objects.update(resource, { ...made, ...status }, 'status');
  }

  #create(resource: Resource, object: object): KubeObject {
    return this.#objects.create(resource, object as KubeObject);
  }
}

const nodeOf = (number: number): string => `node-${digits(Math.floor(number / VOLUMES_OF_A_NODE))}`;
const foreignName = (number: number): string => `foreign-${digits(number)}`;
const digits = (number: number): string => String(number).padStart(6, '0');
export const ownName = (number: number): string => `own-${number}`;
