/** Volumes that come into a cluster one after the other, as a scheduler, a provisioner and a kubelet would bring them about. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import type { WatchEvents } from '../../test/harness/raw-client.ts';
import { isLabelled } from '../world/labelled.ts';
import { claimName, podName, podNamespace, podStatus, podToCreate } from '../world/pod.ts';
import { claimStatus, claimToCreate, volumeName, volumePath, volumeStatus, volumeToCreate } from '../world/volume.ts';
import type { Volumes } from '../world/volumes.ts';

const LONGEST_GAP_MS = 200;
const PATIENCE_MS = 60_000;

/**
 * Resolves with how long each took, in milliseconds: from the moment at which the API server had answered that the pod is ready to the
 * moment at which a watch showed the labels. Without end for a volume that never got them.
 */
export async function arrivals(plane: ControlPlane, volumes: Volumes, count: number): Promise<readonly number[]> {
  await volumes.makeNodes(volumes.count + count);
  const { metadata } = await plane.admin.list('/api/v1/persistentvolumes?limit=1');
  const events = await plane.admin.watch(
    `/api/v1/persistentvolumes?watch=true&resourceVersion=${metadata.resourceVersion}`,
  );
  const labelled = new Labelled(events);
  const delays: number[] = [];
  for (let number = volumes.count; number < volumes.count + count; number++) {
    await sleep(Math.random() * LONGEST_GAP_MS);
    await createAll(plane, number);
    const readyAt = await becomesReady(plane, number);
    delays.push(Math.max(0, (await labelled.at(volumeName(number))) - readyAt));
  }
  await labelled.close();
  return delays;
}

async function createAll({ admin }: ControlPlane, number: number): Promise<void> {
  const claims = `/api/v1/namespaces/${podNamespace(number)}/persistentvolumeclaims`;
  const { metadata } = await admin.post(claims, claimToCreate(number));
  await admin.post('/api/v1/persistentvolumes', volumeToCreate(number, { claimUid: metadata.uid }));
  await admin.patch(`${volumePath(number)}/status`, volumeStatus);
  await admin.patch(`${claims}/${claimName(number)}/status`, claimStatus);
  await admin.post(`/api/v1/namespaces/${podNamespace(number)}/pods`, podToCreate(number));
}

async function becomesReady({ admin }: ControlPlane, number: number): Promise<number> {
  const pod = `/api/v1/namespaces/${podNamespace(number)}/pods/${podName(number)}`;
  await admin.patch(`${pod}/status`, podStatus(number));
  return performance.now();
}

/** When each volume was first seen with its labels. */
class Labelled {
  readonly #events: WatchEvents;
  readonly #following: Promise<void>;
  readonly #seen = new Map<string, PromiseWithResolvers<number>>();
  #isClosed = false;

  constructor(events: WatchEvents) {
    this.#events = events;
    this.#following = this.#follow();
  }

  async at(volume: string): Promise<number> {
    const late = sleep(PATIENCE_MS, Number.POSITIVE_INFINITY, { ref: false });
    const broken = this.#following.then(() => {
      throw new Error('the watch of the benchmark has ended');
    });
    return await Promise.race([this.#of(volume).promise, late, broken]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#events.return();
    await this.#following;
  }

  async #follow(): Promise<void> {
    try {
      for await (const { object } of this.#events) {
        if (isLabelled(object)) this.#of(object.metadata.name).resolve(performance.now());
      }
    } catch (error) {
      if (!this.#isClosed) throw error;
    }
  }

  #of(volume: string): PromiseWithResolvers<number> {
    const seen = this.#seen.get(volume) ?? Promise.withResolvers<number>();
    this.#seen.set(volume, seen);
    return seen;
  }
}
