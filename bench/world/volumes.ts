/**
 * Fills an API server with volumes that have no topology labels yet, each with its bound claim and its ready pod, and with the nodes of
 * these pods. The first of each kind are made through the API, the others are copies in etcd, as it is with pods.
 */
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { EVERY_UID, numbers, uidOfCopy, writeBehind } from './cluster-copies.ts';
import { type Entry, EtcdStore } from './etcd-store.ts';
import { claimName, nodeName, PODS_OF_A_NODE, podName, podNamespace } from './pod.ts';
import { PATTERNS, type Pods } from './pods.ts';
import {
  claimStatus,
  claimToCreate,
  nodeToCreate,
  volumeName,
  volumePath,
  volumeStatus,
  volumeToCreate,
} from './volume.ts';

const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = '/api/v1/persistentvolumeclaims';
const claimsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;

const volumeKey = (number: number): string => `/registry/persistentvolumes/${volumeName(number)}`;
const claimKey = (number: number): string =>
  `/registry/persistentvolumeclaims/${podNamespace(number)}/${claimName(number)}`;

/** What is stored of the first ones of a kind. */
type Patterns = readonly string[];

export class Volumes implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #etcd: EtcdStore;
  readonly #pods: Pods;
  #patterns: { readonly volumes: Patterns; readonly claims: Patterns } | undefined;
  #count = 0;
  #nodes = 0;

  constructor(plane: ControlPlane, pods: Pods) {
    this.#plane = plane;
    this.#etcd = new EtcdStore(plane.directory);
    this.#pods = pods;
  }

  get count(): number {
    return this.#count;
  }

  get nodes(): number {
    return this.#nodes;
  }

  async growTo(count: number): Promise<void> {
    await this.#pods.growTo(Math.max(count, PATTERNS));
    await this.makeNodes(this.#pods.count);
    this.#patterns ??= await this.#makePatterns();
    const { claims } = this.#patterns;
    const added = numbers(this.#count, Math.max(count, PATTERNS));
    await this.#write(
      CLAIMS,
      added.map((number) => copy(claims, claimKey, number)),
    );
    this.#count = this.#pods.count;
    await this.unlabel();
  }

  /** Puts every volume back to what it was before anybody labelled it. It stays the same volume, with the same uid. */
  async unlabel(): Promise<void> {
    const { volumes } = this.#patterns ?? none();
    await this.#write(
      VOLUMES,
      numbers(0, this.#count).map((number) => copy(volumes, volumeKey, number)),
    );
  }

  /** The nodes of so many pods. */
  async makeNodes(pods: number): Promise<void> {
    const wanted = Math.ceil(pods / PODS_OF_A_NODE);
    const left = numbers(this.#nodes, wanted);
    const maker = async () => {
      for (const node of left) await this.#plane.admin.post('/api/v1/nodes', nodeToCreate(node * PODS_OF_A_NODE));
    };
    await Promise.all(Array.from({ length: 8 }, maker));
    this.#nodes = Math.max(wanted, this.#nodes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#etcd[Symbol.asyncDispose]();
  }

  async #makePatterns(): Promise<{ readonly volumes: Patterns; readonly claims: Patterns }> {
    const { admin } = this.#plane;
    for (const each of numbers(0, PATTERNS)) {
      const claims = claimsOf(podNamespace(each));
      const { metadata } = await admin.post(`${claims}?fieldManager=kube-controller-manager`, claimToCreate(each));
      await admin.patch(`${claims}/${claimName(each)}/status?fieldManager=kube-controller-manager`, claimStatus);
      await admin.post(`${VOLUMES}?fieldManager=csi-provisioner`, volumeToCreate(each, metadata.uid));
      await admin.patch(`${volumePath(each)}/status?fieldManager=kube-controller-manager`, volumeStatus);
    }
    const volumes = await this.#stored('/registry/persistentvolumes/', volumeKey);
    return { volumes, claims: await this.#stored('/registry/persistentvolumeclaims/', claimKey) };
  }

  async #stored(prefix: string, keyOf: (number: number) => string): Promise<Patterns> {
    const stored = new Map((await this.#etcd.read(prefix)).map(({ key, value }) => [key, value]));
    return Array.from(numbers(0, PATTERNS), (each) => stored.get(keyOf(each)) ?? missing(keyOf(each)));
  }

  async #write(path: string, entries: Iterable<Entry>): Promise<void> {
    await writeBehind({ plane: this.#plane, etcd: this.#etcd, path }, entries);
  }
}

/** Also the patterns themselves are written as copies, so that a volume's claim has the uid that the volume tells of. */
function copy(patterns: Patterns, keyOf: (number: number) => string, number: number): Entry {
  const from = number % PATTERNS;
  const pattern = patterns[from] ?? missing(keyOf(from));
  const value = pattern
    .replaceAll(podName(from), podName(number))
    .replaceAll(nodeName(from), nodeName(number))
    .replaceAll(EVERY_UID, (uid) => uidOfCopy(uid, number));
  return { key: keyOf(number), value };
}

function missing(key: string): never {
  throw new Error(`etcd does not hold ${key}, which was created a moment ago`);
}

function none(): never {
  throw new Error('there are no volumes yet: call growTo first');
}
