/** Which resource of a cluster counts, where there is more than one although there should not be. */
import type { PersistentVolumeSync } from './contract.ts';

/** The one that was made first; of several of the same second the one whose name comes first. One that is being deleted still counts. */
export function elderOf(syncs: Iterable<PersistentVolumeSync>): PersistentVolumeSync | undefined {
  return [...syncs].toSorted((a, b) => (isOlder(a, b) ? -1 : 1))[0];
}

function isOlder({ metadata: a }: PersistentVolumeSync, { metadata: b }: PersistentVolumeSync): boolean {
  const [since, otherSince] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  return since === otherSince ? (a.name ?? '') < (b.name ?? '') : since < otherSince;
}
