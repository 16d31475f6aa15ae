/** What a recovery cluster knows of the exports that it has seen, by its status: nothing older is believed. */
import type { SeenExport, SyncSpec, SyncStatus } from '../contract.ts';
import { exportedAt } from '../export/names.ts';

export interface LastSeen {
  /** A cluster that had a pointer once is never read the original's way again. */
  readonly hadPointer: boolean;
  readonly newest: SeenExport | undefined;
}

/** What the status says may be of another cluster, after `spec.protectedCluster` was changed: its epochs and sequences are not these. */
export function lastSeen({ protectedCluster }: Pick<SyncSpec, 'protectedCluster'>, status: SyncStatus = {}): LastSeen {
  const seen = status.seen?.cluster === protectedCluster.toLowerCase() ? status.seen : undefined;
  const isHere = status.export !== undefined && exportedAt(protectedCluster, status.export.key) !== undefined;
  const newest = further(protectedCluster, seen?.newest, isHere ? status.export : undefined);
  // Before there was such a record, the status said only of what was restored whose it is.
  const isRecorded = status.seen !== undefined || (status.export !== undefined && !isHere);
  const hadPointer = seen?.pointer ?? (!isRecorded && status.pointerSeen === true);
  return { hadPointer: hadPointer || newest?.epoch !== undefined, newest };
}

/** What is kept of one. */
export const seenExport = ({ key, sha256, epoch, sequence, manifestSha256 }: SeenExport): SeenExport => ({
  key,
  sha256,
  ...(epoch !== undefined && { epoch }),
  ...(sequence !== undefined && { sequence }),
  ...(manifestSha256 !== undefined && { manifestSha256 }),
});

/** What this cluster has exported itself while it was the protected one counts, too. */
function further(
  cluster: string,
  seen: SeenExport | undefined,
  restored: SeenExport | undefined,
): SeenExport | undefined {
  if (!restored) return seen;
  if (!seen) return seenExport(restored);
  const places = [seen, restored].map(({ epoch = 0, sequence = 0, key }) => [
    epoch,
    sequence,
    exportedAt(cluster, key) ?? 0,
  ]);
  return isBefore(places[0] ?? [], places[1] ?? []) ? seenExport(restored) : seen;
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const index = a.findIndex((each, place) => each !== b[place]);
  return index >= 0 && (a[index] ?? 0) < (b[index] ?? 0);
}
