/** Volumes as the API server has them now, past every cache: what is looked at before anything is destroyed. */
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { sharedLook } from '../kit/shared-look.ts';
import { NODE_LABEL } from './contract.ts';

export class LiveVolumes {
  readonly #client: KubeClient;
  readonly #all: () => Promise<readonly PersistentVolume[]>;

  constructor(client: KubeClient) {
    this.#client = client;
    this.#all = sharedLook(async () => (await Array.fromAsync(client.pages(PERSISTENT_VOLUMES))).flat());
  }

  /** One volume. */
  find(name: string, signal: AbortSignal): Promise<PersistentVolume | undefined> {
    return this.#client.find(PERSISTENT_VOLUMES, { name }, { signal });
  }

  /** The uids of the volumes that carry the label of this node. */
  async labelled(node: string, signal: AbortSignal): Promise<readonly string[]> {
    const labelSelector = `${NODE_LABEL}=${node}`;
    const { items } = await this.#client.list(PERSISTENT_VOLUMES, { labelSelector, signal });
    return items.map(({ metadata }) => metadata.uid ?? '');
  }

  /**
   * Every volume of the cluster, read from now on: who asks while another reading is under way shares the next one. Who has to stop
   * does not wait for it.
   */
  async all(signal: AbortSignal): Promise<readonly PersistentVolume[]> {
    signal.throwIfAborted();
    return await unlessAborted(this.#all(), signal);
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
