/** Fills an API server with volumes that have no topology labels yet, each with its bound claim and its ready pod, and with the nodes of these pods. */
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import { numbers } from './cluster-copies.ts';
import { Pairs } from './pairs.ts';
import { PODS_OF_A_NODE } from './pod.ts';
import { PATTERNS, type Pods } from './pods.ts';
import { nodeToCreate } from './volume.ts';

export class Volumes implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #pods: Pods;
  readonly #pairs: Pairs;
  #nodes = 0;

  constructor(plane: ControlPlane, pods: Pods) {
    this.#plane = plane;
    this.#pods = pods;
    this.#pairs = new Pairs(plane);
  }

  get count(): number {
    return this.#pairs.count;
  }

  get nodes(): number {
    return this.#nodes;
  }

  async growTo(count: number): Promise<void> {
    await this.#pods.growTo(Math.max(count, PATTERNS));
    await this.makeNodes(this.#pods.count);
    await this.#pairs.growTo(this.#pods.count);
  }

  /** Puts every volume back to what it was before anybody labelled it. It stays the same volume, with the same uid. */
  async unlabel(): Promise<void> {
    await this.#pairs.putVolumesBack();
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
    await this.#pairs[Symbol.asyncDispose]();
  }
}
