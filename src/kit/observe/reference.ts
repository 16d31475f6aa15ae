/** Names an object in another object, so that a reader finds it: what an Event is about. */
import { apiVersionOf, type KubeObject, type Resource } from '../kube/resource.ts';

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly fieldPath?: string;
}

/**
 * Without the resourceVersion, which client-go adds: an Event that repeats is about the same object although that has changed in
 * between. An object from the cache need not carry its own kind, so the resource says it.
 */
export function referenceTo(resource: Resource, { metadata }: KubeObject): ObjectReference {
  const { namespace, name, uid } = metadata;
  if (!name) throw new Error(`a ${resource.kind} without a name cannot be referred to`);
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    ...(resource.namespaced && namespace && { namespace }),
    name,
    ...(uid && { uid }),
  };
}
