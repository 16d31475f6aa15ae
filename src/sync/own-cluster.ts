/** Which cluster this is, asked once: the uid that stands for a cluster never changes. */
import { clusterUid } from '../api/namespaces.ts';
import type { KubeClient } from '../kit/kube/client.ts';

export class OwnCluster {
  readonly #client: KubeClient;
  #uid: string | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async uid(signal: AbortSignal): Promise<string> {
    this.#uid ??= await clusterUid(this.#client, signal);
    return this.#uid;
  }
}
