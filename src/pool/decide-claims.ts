/** Claims go with their pool only if a person has chosen so: then the pool is among their owners. */
import type { Action } from './plan.ts';
import type { Seen } from './seen.ts';

export function claimOwners({ pool, claims }: Seen): readonly Action[] {
  const owned = pool.spec.claims?.whenDeleted === 'Delete';
  const uid = pool.metadata.uid ?? '';
  return claims
    .filter(({ isLabelled, isDeleting, isOwnedBy }) => isLabelled && !isDeleting && isOwnedBy.includes(uid) !== owned)
    .map((claim) => ({ do: 'ownClaim', claim, owned }));
}
