/** Volumes as the API server has them now, past every cache: what is looked at before anything is destroyed. */
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { sharedLook } from '../kit/shared-look.ts';
import { NODE_LABEL } from './contract.ts';
import { isWorldWide } from './identity.ts';
import { type Volume, volumeOf } from './volume.ts';

export class LiveVolumes {
  readonly #client: KubeClient;
  readonly #mayBeOf: () => Promise<readonly Volume[]>;

  constructor(client: KubeClient, node: string) {
    this.#client = client;
    this.#mayBeOf = sharedLook(() => this.#readAll(node));
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
   * Every volume of the cluster that may be of a device of the node, read from now on: who asks while another reading is under way shares
   * the next one. Who has to stop does not wait for it.
   */
  async all(signal: AbortSignal): Promise<readonly Volume[]> {
    signal.throwIfAborted();
    return await unlessAborted(this.#mayBeOf(), signal);
  }

  /** Of each page only what matters is kept: a cluster may have more volumes than fit into our memory. */
  async #readAll(node: string): Promise<readonly Volume[]> {
    const found: Volume[] = [];
    for await (const page of this.#client.pages(PERSISTENT_VOLUMES))
      for (const each of page) {
        const volume = volumeOf(each);
        if (mayBeOfADeviceOf(volume, node)) found.push(volume);
      }
    return found;
  }
}

/** One without an affinity to a single node may be used here. */
export const mayBeOn = ({ affinity }: Volume, node: string): boolean => affinity === undefined || affinity === node;

/** Of one that is used on another node, only a name that no other device in the world has can tell. */
const mayBeOfADeviceOf = (volume: Volume, node: string): boolean =>
  mayBeOn(volume, node)
    ? volume.path !== '' || volume.hostPath !== undefined || volume.identity !== undefined
    : volume.identity !== undefined && isWorldWide(volume.identity);

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
