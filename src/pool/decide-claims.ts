/** Which claims are the pool's. They go with it only if a person has chosen so: then the pool is among their owners. */
import type { Action } from './plan.ts';
import { presentMembers, type Seen } from './seen.ts';

/**
 * A StatefulSet labels the claims that it makes, and not those that were there before. One that an agent uses is the pool's, too, and is
 * labelled here; otherwise it would stay behind where all others go. One with the label of somebody else is left alone.
 */
export const claimLabels = (seen: Seen): readonly Action[] =>
  presentMembers(seen).flatMap(({ pod, claim }): Action[] => {
    const isUsed = pod !== undefined && pod.setUid === seen.set?.metadata.uid;
    return isUsed && claim?.label === 'none' && !claim.isDeleting ? [{ do: 'labelClaim', claim }] : [];
  });

export function claimOwners({ pool, claims }: Seen): readonly Action[] {
  const owned = pool.spec.claims?.whenDeleted === 'Delete';
  const uid = pool.metadata.uid ?? '';
  return claims
    .filter(({ label, isDeleting, isOwnedBy }) => label === 'ours' && !isDeleting && isOwnedBy.includes(uid) !== owned)
    .map((claim) => ({ do: 'ownClaim', claim, owned }));
}
