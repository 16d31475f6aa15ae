/** What all objects of a pool have in common: they belong to it, go with it, and are found by its name. */
import { apiVersionOf, type KubeObject, type OwnerReference } from '../../kit/kube/resource.ts';
import { POOL_LABEL, PV_POOLS, type PvPool } from '../contract.ts';

export const labelsOf = (pool: PvPool): Readonly<Record<string, string>> => ({ [POOL_LABEL]: nameOf(pool) });

export const ownedMetadata = (pool: PvPool, name: string) => ({
  name,
  namespace: pool.metadata.namespace ?? '',
  labels: labelsOf(pool),
  ownerReferences: [controllerReference(pool)],
});

/** As every controller writes it: there is one at most, and the owner stays, when it is deleted in the foreground, until this is gone. */
function controllerReference(pool: PvPool): OwnerReference {
  const { uid } = pool.metadata;
  if (!uid) throw new Error(`the pool ${nameOf(pool)} has no uid yet: nothing can belong to it`);
  return {
    apiVersion: apiVersionOf(PV_POOLS),
    kind: PV_POOLS.kind,
    name: nameOf(pool),
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** By its uid: a pool that had the same name before is another one. */
export const belongsTo = (pool: PvPool, { metadata }: KubeObject): boolean =>
  (metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === pool.metadata.uid);

export function nameOf({ metadata: { name } }: PvPool): string {
  if (!name) throw new Error('a pool without a name cannot have objects');
  return name;
}
