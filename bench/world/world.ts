/** What the benchmarks of a group share: one control plane and what is in it, made when the first of them asks. */
import { type ControlPlane, startControlPlane } from '../../test/harness/control-plane.ts';
import type { Access } from './access.ts';
import { Pods } from './pods.ts';

/** Tens of thousands of pods, each several times over until etcd is compacted, are more than the 2 GB that it takes by default. */
const ETCD_FLAGS = [`--quota-backend-bytes=${8 * 2 ** 30}`];

export class World implements AsyncDisposable {
  readonly #things = new AsyncDisposableStack();
  #plane: Promise<ControlPlane> | undefined;
  #pods: Promise<Pods> | undefined;

  plane(): Promise<ControlPlane> {
    this.#plane ??= startControlPlane({ etcdFlags: ETCD_FLAGS }).then((plane) => this.#things.use(plane));
    return this.#plane;
  }

  pods(): Promise<Pods> {
    this.#pods ??= this.plane().then((plane) => this.#things.use(new Pods(plane)));
    return this.#pods;
  }

  async access(): Promise<Access> {
    const { url, ca, adminToken } = await this.plane();
    return { url, ca, token: adminToken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#things.disposeAsync();
  }
}
