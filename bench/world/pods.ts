/**
 * Fills an API server with pods, in seconds instead of the quarter of an hour that 100,000 writes would take. The first pods are
 * made through the API, fields of their managers included; the others are copies of these in etcd with their own name, uid and
 * node. Readers cannot tell: whatever the server sends, it decodes, orders and encodes as ever.
 */
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { FIRST_UID, numbers, uidOfCopy, writeBehind } from './cluster-copies.ts';
import { type Entry, EtcdStore } from './etcd-store.ts';
import { makeNamespaces } from './namespaces.ts';
import { NAMESPACES, nodeName, PHASES, podName, podNamespace, podStatus, podToCreate, rollout } from './pod.ts';

/** A multiple of the number of namespaces, so that a copy is in the namespace of its pattern. */
export const PATTERNS = 5 * NAMESPACES;

export class Pods implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #etcd: EtcdStore;
  #patterns: readonly string[] = [];
  #count = 0;
  #rollouts = 0;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#etcd = new EtcdStore(plane.directory);
  }

  get count(): number {
    return this.#count;
  }

  async growTo(count: number): Promise<void> {
    if (this.#patterns.length === 0) await this.#makePatterns();
    await this.#write(numbers(this.#count, count).map((number) => this.#copy(number)));
    this.#count = Math.max(count, this.#count);
  }

  /** Changes that many pods, one after the other and around again; every second one also in its phase. Then marks the first pod. */
  async change(changes: number): Promise<void> {
    const first = this.#rollouts;
    this.#rollouts += changes;
    const changed = numbers(first, this.#rollouts).map((rollouts) => {
      return this.#copy(rollouts % this.#count, rollouts, rollouts % 2 === 0 ? PHASES.usual : PHASES.other);
    });
    await this.#write(changed);
    await this.#write([this.#copy(0, this.#rollouts, PHASES.last)]);
  }

  /** Takes the mark away that the last series of changes has left. */
  async unmark(): Promise<void> {
    await this.#write([this.#copy(0, this.#rollouts)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#etcd[Symbol.asyncDispose]();
  }

  async #makePatterns(): Promise<void> {
    const { admin } = this.#plane;
    await makeNamespaces(this.#plane);
    for (let each = 0; each < PATTERNS; each++) {
      const path = `/api/v1/namespaces/${podNamespace(each)}/pods`;
      await admin.post(`${path}?fieldManager=kube-controller-manager`, podToCreate(each));
      await admin.patch(`${path}/${podName(each)}/status?fieldManager=kubelet`, podStatus(each));
    }
    const stored = new Map((await this.#etcd.read(PREFIX)).map(({ key, value }) => [key, value]));
    this.#patterns = Array.from({ length: PATTERNS }, (_, each) => stored.get(keyOf(each)) ?? missing(each));
    this.#count = PATTERNS;
  }

  async #write(entries: Iterable<Entry>): Promise<void> {
    await writeBehind({ plane: this.#plane, etcd: this.#etcd, path: '/api/v1/pods' }, entries);
  }

  #copy(number: number, rollouts = 0, phase: string = PHASES.usual): Entry {
    const from = number % PATTERNS;
    const pattern = this.#patterns[from] ?? missing(from);
    const value = pattern
      .replaceAll(podName(from), podName(number))
      .replace(nodeName(from), nodeName(number))
      .replace(FIRST_UID, (uid) => uidOfCopy(uid, number))
      .replace(rollout(0), rollout(rollouts))
      .replace(PHASES.usual, phase);
    return { key: keyOf(number), value };
  }
}

const PREFIX = '/registry/pods/';
const keyOf = (number: number): string => `${PREFIX}${podNamespace(number)}/${podName(number)}`;

function missing(number: number): never {
  throw new Error(`etcd does not hold ${keyOf(number)}, which was created a moment ago`);
}
