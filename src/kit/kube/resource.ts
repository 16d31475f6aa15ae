/** Where a kind of object lives in the API, and the paths that lead there. */

import { InvalidValue } from '../invalid-value.ts';
import type { ManagedFields } from './managed-fields.ts';

/** `T` is the type of its objects; it exists for the type checker only. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly __type?: T;
}

/** An object as the API server sent it: whole, fields that we do not know included. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Names one object of a resource. `namespace` is left out for cluster-scoped resources. */
export interface Ref {
  readonly namespace?: string;
  readonly name: string;
}

/** `group/version`, or only the version for the core group, as it stands in `apiVersion`. */
export const apiVersionOf = (resource: Resource): string =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;

/** `persistentvolumes` or `leases.coordination.k8s.io`: how people and log lines call a resource. */
export const nameOf = (resource: Resource): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace ? `/namespaces/${segment('Namespace', namespace)}` : '';
  return `${root}${scope}/${resource.plural}`;
}

export function objectPath(resource: Resource, ref: Ref, subresource?: string): string {
  if (ref.name === '')
    throw new Error(`a ${resource.kind} without a name was asked for: the path would name all of them`);
  if (resource.namespaced && !ref.namespace) {
    throw new Error(`${resource.kind} "${ref.name}" was asked for without its namespace`);
  }
  const path = `${collectionPath(resource, ref.namespace)}/${segment(resource.kind, ref.name)}`;
  return subresource ? `${path}/${subresource}` : path;
}

/** The server decodes a path before it splits it: a name with a slash would lead to another object, encoded or not. */
function segment(kind: string, name: string): string {
  if (name === '.' || name === '..' || /[/%]/.test(name)) throw new InvalidValue(`name of a ${kind}`, name, NOT_A_NAME);
  return encodeURIComponent(name);
}

const NOT_A_NAME = 'it would lead to another place in the API';

/** The key of an object in caches and queues: `namespace/name`, or only the name when it has no namespace. */
export const keyOfObject = ({ metadata: { namespace, name = '' } }: KubeObject): string =>
  namespace ? `${namespace}/${name}` : name;

export function refOf(key: string): Ref {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
