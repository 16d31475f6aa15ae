/** Writes objects behind the sandbox's API: one is made through it, and the others are copies, which cost no admission. */
import type { Resource } from '../../src/kit/kube/resource.ts';
import type { ApiObject } from '../../src/sandbox/api-object.ts';
import type { Cluster } from '../../src/sandbox/cluster.ts';
import { EVERY_UID, uidOfCopy } from '../world/cluster-copies.ts';

export interface CopyOptions {
  /** `namespace/name`, or the name, of the one that is there: the first. */
  readonly pattern: string;
  readonly count: number;
  /** The text of a copy, made of that of the pattern. Uids become others by themselves. */
  readonly renamed: (text: string, number: number) => string;
}

/** Lets others have a turn now and then: who asks the sandbox is served by the same thread. */
const BREATH = 500;

/** Also the pattern is written once more, as the copy with the number 0, so that uids fit together. */
export async function writeCopies(cluster: Cluster, resource: Resource, options: CopyOptions): Promise<void> {
  const { pattern, count, renamed } = options;
  const collection = cluster.store.collection(cluster.registry.get(resource).stored.name);
  const text = JSON.stringify(collection.get(pattern));
  await times(count, (number) => {
    const copy = renamed(text, number).replaceAll(EVERY_UID, (uid) => uidOfCopy(uid, number));
    cluster.store.put(collection, renamed(pattern, number), JSON.parse(copy) as ApiObject);
  });
}

/** Writes an object as it is, with nothing added. */
export function writeBehind(cluster: Cluster, resource: Resource, key: string, object: object): void {
  const collection = cluster.store.collection(cluster.registry.get(resource).stored.name);
  cluster.store.put(collection, key, object as ApiObject);
}

export async function times(count: number, act: (number: number) => unknown): Promise<void> {
  for (let number = 0; number < count; number++) {
    act(number);
    if (number % BREATH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
