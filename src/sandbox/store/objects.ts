/** The objects of a cluster, for those who are part of it: at once and with no rights in between, and still by every rule of the server. */
import type { KubeObject, Resource } from '../../kit/kube/resource.ts';

export interface Objects {
  /** The key is `namespace/name`, or the name of what has no namespace. */
  get<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined;
  list<T extends KubeObject>(resource: Resource<T>): readonly T[];
  create<T extends KubeObject>(resource: Resource<T>, object: T): T;
  update<T extends KubeObject>(resource: Resource<T>, object: T, subresource?: string): T;
  remove(resource: Resource, key: string, options?: RemoveOptions): void;
  /** Told of each change, after it and in order, at once. Gives back how to stop. */
  onChange<T extends KubeObject>(resource: Resource<T>, listener: (change: ObjectChange<T>) => void): () => void;
}

export interface RemoveOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
}

export interface ObjectChange<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly object: T;
  readonly old?: T;
}
