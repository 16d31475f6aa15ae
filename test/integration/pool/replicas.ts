/** Every number of replicas that a pool's StatefulSet was ever told, as it was written, and what was on the disks of those that left. */
import type { WatchEvents } from '../../harness/raw-client.ts';
import type { Pool, PoolWorld, StatefulSet } from './world.ts';

/** None is missed: the watch begins where the list ended. */
export async function replicasOver(world: PoolWorld, pool: Pool): Promise<Replicas> {
  const { spec, metadata } = await pool.set();
  const field = `fieldSelector=metadata.name%3D${metadata.name}`;
  const path = `/apis/apps/v1/namespaces/${pool.namespace}/statefulsets?watch=true&${field}`;
  const events = await world.admin.watch<StatefulSet>(`${path}&resourceVersion=${metadata.resourceVersion}`);
  return new Replicas(pool, spec.replicas, events);
}

export class Replicas implements AsyncDisposable {
  /** Without repetitions. */
  readonly seen: number[];
  /** Files of blobs that were on the volumes of agents that were let go, at the moment when they were. Must be none. */
  readonly leftBehind: string[] = [];
  readonly #pool: Pool;
  readonly #events: WatchEvents<StatefulSet>;
  readonly #done: Promise<void>;

  constructor(pool: Pool, first: number, events: WatchEvents<StatefulSet>) {
    this.seen = [first];
    this.#pool = pool;
    this.#events = events;
    this.#done = this.#follow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A watch that is left breaks off, and says so.
    await this.#events.return().catch(() => undefined);
    await this.#done.catch(() => undefined);
  }

  async #follow(): Promise<void> {
    for await (const { object } of this.#events) {
      const before = this.seen.at(-1) ?? 0;
      const { replicas } = object.spec ?? {};
      if (replicas === undefined || replicas === before) continue;
      this.seen.push(replicas);
      for (let ordinal = replicas; ordinal < before; ordinal++) {
        this.leftBehind.push(...(await this.#pool.blobsOnDisk(ordinal)));
      }
    }
  }
}
