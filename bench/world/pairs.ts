/**
 * Fills an API server with volumes, each with its own bound claim. The first of each kind are made through the API, the others are
 * copies in etcd, as it is with pods.
 */
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { EVERY_UID, numbers, uidOfCopy, writeBehind } from './cluster-copies.ts';
import { type Entry, EtcdStore } from './etcd-store.ts';
import { makeNamespaces } from './namespaces.ts';
import { claimName, nodeName, podName, podNamespace } from './pod.ts';
import { PATTERNS } from './pods.ts';
import {
  claimStatus,
  claimToCreate,
  type Labels,
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

export class Pairs implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #etcd: EtcdStore;
  readonly #labels: Labels;
  #patterns: { readonly volumes: Patterns; readonly claims: Patterns } | undefined;
  #count = 0;

  /** `labels` are those of all volumes and all claims. */
  constructor(plane: ControlPlane, labels: Labels = {}) {
    this.#plane = plane;
    this.#etcd = new EtcdStore(plane.directory);
    this.#labels = labels;
  }

  get count(): number {
    return this.#count;
  }

  /** There are never fewer than the patterns. */
  async growTo(count: number): Promise<void> {
    this.#patterns ??= await this.#makePatterns();
    const { claims } = this.#patterns;
    const added = numbers(this.#count, Math.max(count, PATTERNS));
    await this.#write(
      CLAIMS,
      added.map((number) => copy(claims, claimKey, number)),
    );
    this.#count = Math.max(count, PATTERNS, this.#count);
    await this.putVolumesBack();
  }

  /** Puts every volume back to what it was at first. It stays the same volume, with the same uid. */
  async putVolumesBack(): Promise<void> {
    const { volumes } = this.#patterns ?? none();
    await this.#write(
      VOLUMES,
      numbers(0, this.#count).map((number) => copy(volumes, volumeKey, number)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#etcd[Symbol.asyncDispose]();
  }

  async #makePatterns(): Promise<{ readonly volumes: Patterns; readonly claims: Patterns }> {
    const { admin } = this.#plane;
    await makeNamespaces(this.#plane);
    for (const each of numbers(0, PATTERNS)) {
      const claims = claimsOf(podNamespace(each));
      const claim = claimToCreate(each, this.#labels);
      const { metadata } = await admin.post(`${claims}?fieldManager=kube-controller-manager`, claim);
      await admin.patch(`${claims}/${claimName(each)}/status?fieldManager=kube-controller-manager`, claimStatus);
      await admin.post(
        `${VOLUMES}?fieldManager=csi-provisioner`,
        volumeToCreate(each, { claimUid: metadata.uid, labels: this.#labels }),
      );
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
