/**
 * Who may write. The pointer names one cluster and the epoch that it writes under; another one becomes the writer only by raising the
 * epoch, which is for a person to decide.
 */
import type { ExportStatus } from '../contract.ts';
import type { Manifest, Writer } from '../export/manifest.ts';
import { exportedAt, HIGHEST_COUNT } from '../export/names.ts';
import { RecordIsUnreadable } from '../export/sealed.ts';

/** Which cluster asks, and for whose exports. */
export interface Site {
  /** As in `spec.protectedCluster`. */
  readonly cluster: string;
  readonly clusterUid: string;
  /** What the status says of the last export. It may be older than the store when the cluster was restored from a backup, or newer when the store was. */
  readonly known?: ExportStatus | undefined;
}

/** Why a cluster must not write. */
export type Barred =
  /** It was the writer, and another one has taken over. */
  | { readonly kind: 'deposed'; readonly by: Writer }
  /** The exports of this name are another cluster's. */
  | { readonly kind: 'foreign'; readonly by: Writer };

/** Nothing when the writer is this cluster. */
export function barredBy({ clusterUid, epoch }: Writer, site: Site): Barred | undefined {
  if (clusterUid === site.clusterUid) return undefined;
  const by = { clusterUid, epoch };
  const { epoch: ownEpoch = Number.POSITIVE_INFINITY } = knownHere(site) ?? {};
  return epoch > ownEpoch ? { kind: 'deposed', by } : { kind: 'foreign', by };
}

/** Under which epoch a writer goes on. Behind a store that has gone back to an earlier state nobody can know who wrote what: a new epoch. */
export function epochOf(pointer: Writer | undefined, site: Site): number {
  const { epoch = 0 } = knownHere(site) ?? {};
  const stored = pointer?.epoch ?? 0;
  return stored < epoch ? following('epoch', epoch, site.cluster) : Math.max(stored, 1);
}

/**
 * The count after this one. Throws before anything is written: a higher one than can be read would keep everybody from writing for good, and
 * one that does not grow would let two write at once. Nobody comes so far by counting.
 */
export function following(what: 'epoch' | 'sequence', count: number, cluster: string): number {
  if (count < HIGHEST_COUNT) return count + 1;
  throw new RecordIsUnreadable(
    'recordIsMalformed',
    `the ${what} of ${cluster} is ${count}, and none can come after ${HIGHEST_COUNT}: nothing was changed. ` +
      'Somebody else has written it: see who did that, and move away what he has written, or go on with another spec.protectedCluster',
  );
}

/** After the last sequence that there was, also when the store has gone back to an earlier state. */
export const nextSequence = ({ sequence }: Pick<Manifest, 'sequence'>, site: Site): number =>
  following('sequence', Math.max(sequence, knownHere(site)?.sequence ?? 0), site.cluster);

/** Whether the store shows an earlier export than the last that this cluster knows of. */
export function isBehind({ epoch, sequence }: Manifest, site: Site): boolean {
  const { epoch: knownEpoch = 0, sequence: knownSequence = 0 } = knownHere(site) ?? {};
  return epoch < knownEpoch || sequence < knownSequence;
}

/** A status may speak of another cluster's exports, after `spec.protectedCluster` was changed. */
export const knownHere = ({ cluster, known }: Site): ExportStatus | undefined =>
  known && exportedAt(cluster, known.key) !== undefined ? known : undefined;

/** What is known of the last export, by the status or by this process. */
export function furthest(site: Site, own: ExportStatus | undefined): ExportStatus | undefined {
  const [byStatus, byUs] = [knownHere(site), knownHere({ ...site, known: own })];
  return (byUs?.sequence ?? 0) >= (byStatus?.sequence ?? 0) ? (byUs ?? byStatus) : byStatus;
}
