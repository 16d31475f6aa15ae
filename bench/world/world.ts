/** What the benchmarks of a group share: one control plane and what is in it, made when the first of them asks. */
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../test/harness/control-plane.ts';
import type { Access } from './access.ts';
import { Pods } from './pods.ts';
import { Volumes } from './volumes.ts';

/** Tens of thousands of pods, each several times over until etcd is compacted, are more than the 2 GB that it takes by default. */
const ETCD_FLAGS = [`--quota-backend-bytes=${8 * 2 ** 30}`];

export class World implements AsyncDisposable {
  readonly #options: ControlPlaneOptions;
  readonly #things = new AsyncDisposableStack();
  #plane: Promise<ControlPlane> | undefined;
  #pods: Promise<Pods> | undefined;
  #volumes: Promise<Volumes> | undefined;

  constructor(options: ControlPlaneOptions = {}) {
    this.#options = options;
  }

  plane(): Promise<ControlPlane> {
    this.#plane ??= this.#startPlane();
    return this.#plane;
  }

  pods(): Promise<Pods> {
    this.#pods ??= this.plane().then((plane) => this.#things.use(new Pods(plane)));
    return this.#pods;
  }

  /** With a pod for each: what `pods` gives are the same ones. */
  volumes(): Promise<Volumes> {
    this.#volumes ??= this.#makeVolumes();
    return this.#volumes;
  }

  async access(): Promise<Access> {
    const { url, ca, adminToken } = await this.plane();
    return { url, ca, token: adminToken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#things.disposeAsync();
  }

  async #startPlane(): Promise<ControlPlane> {
    return this.#things.use(await startControlPlane({ etcdFlags: ETCD_FLAGS, ...this.#options }));
  }

  async #makeVolumes(): Promise<Volumes> {
    return this.#things.use(new Volumes(await this.plane(), await this.pods()));
  }
}
