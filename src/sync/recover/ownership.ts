/**
 * What ties a restored object to the resource that it was restored for, other than its label. The original makes the resource its owner
 * and puts a finalizer on it: the one lets the garbage collector delete it with the resource, the other keeps it from ever going.
 */
import type { OwnerReference } from '../../kit/kube/resource.ts';
import { FINALIZER, PERSISTENT_VOLUME_SYNCS } from '../contract.ts';
import type { Difference } from './difference.ts';

export interface Ties {
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/** A merge patch of the metadata that cuts them, and leaves what is of others; nothing where there are none. */
export function untied({ ownerReferences = [], finalizers = [] }: Ties): Difference | undefined {
  const owners = ownerReferences.filter((owner) => !isSync(owner));
  const others = finalizers.filter((each) => each !== FINALIZER);
  const metadata = {
    ...(owners.length < ownerReferences.length && { ownerReferences: owners }),
    ...(others.length < finalizers.length && { finalizers: others }),
  };
  const fields = Object.keys(metadata).map((field) => `metadata.${field}`);
  return fields.length === 0 ? undefined : { patch: { metadata }, fields };
}

/** In any version of the API. */
const isSync = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === PERSISTENT_VOLUME_SYNCS.kind && apiVersion.startsWith(`${PERSISTENT_VOLUME_SYNCS.group}/`);
