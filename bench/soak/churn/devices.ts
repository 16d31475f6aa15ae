/** Disks of a node that are claimed, written to and let go, again and again: each has to come back empty, as another volume. */

import type { Holdfast } from '../../../test/harness/holdfast.ts';
import { type DevicesCluster, fill, isZero, MIB, NodeWorld, type Volume } from '../../../test/host/devices/world.ts';
import { type PatientClient, patiently } from '../patient-client.ts';
import { type Churn, unless } from './churn.ts';

const SIZE = 16 * MIB;
const DISKS = ['one', 'two', 'three'];
const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';

export class DevicesChurn implements Churn, AsyncDisposable {
  readonly name = 'devices';
  readonly pauseMs = 500;
  readonly agent: Holdfast;
  readonly #node: NodeWorld;
  readonly #client: PatientClient;
  #rounds = 0;

  private constructor(node: NodeWorld, agent: Holdfast, client: PatientClient) {
    this.#node = node;
    this.agent = agent;
    this.#client = client;
  }

  static async begin(cluster: DevicesCluster, client: PatientClient): Promise<DevicesChurn> {
    await using undo = new AsyncDisposableStack();
    const node = undo.use(await NodeWorld.create(cluster, 'disks'));
    for (const disk of DISKS) await node.disk(disk, SIZE);
    await node.configure();
    const churn = new DevicesChurn(node, await node.agent('--log-level=info'), client);
    undo.move();
    return churn;
  }

  async round(): Promise<void> {
    const disk = DISKS[this.#rounds % DISKS.length] ?? '';
    const claim = `claim-${this.#rounds++}`;
    const volume = await this.#becomes(disk, 'Available');
    await this.#client.create(CLAIMS, claimOf(claim, volume));
    await this.#becomes(disk, 'Bound');
    await fill(this.#node.pathOf(disk), SIZE);
    await this.#client.remove(`${CLAIMS}/${claim}`);
    await this.#becomes(disk, 'Available', volume);
    await this.#mustBeEmpty(disk);
  }

  async audit(): Promise<readonly string[]> {
    const each = DISKS.map(async (disk) => {
      await this.#becomes(disk, 'Available');
      await this.#mustBeEmpty(disk);
    });
    return (await Promise.all(each.map(unless))).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#node[Symbol.asyncDispose]();
  }

  async #becomes(disk: string, phase: string, not?: Volume): Promise<Volume> {
    const name = this.#node.volumeOf(disk);
    return await patiently(`${name} to be ${phase}`, async () => {
      const volume = await this.#client.find<Volume>(`${VOLUMES}/${name}`);
      if (volume?.status.phase !== phase) throw new Error(`it is ${volume?.status.phase ?? 'not there'}`);
      if (volume.metadata.uid === not?.metadata.uid) throw new Error('it is still the former volume');
      return volume;
    });
  }

  async #mustBeEmpty(disk: string): Promise<void> {
    const isEmpty = await isZero(this.#node.pathOf(disk), 0, SIZE);
    if (!isEmpty) throw new Error(`${disk} is offered with somebody's data on it`);
  }
}

const claimOf = (name: string, { metadata, spec }: Volume): object => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1' } },
    storageClassName: spec.storageClassName,
    volumeMode: spec.volumeMode,
    volumeName: metadata.name,
  },
});
