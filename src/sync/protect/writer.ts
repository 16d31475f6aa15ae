/**
 * Who may write. The pointer names one cluster and the epoch that it writes under; another one becomes the writer only by raising the
 * epoch, which is for a person to decide.
 */
import type { ExportStatus } from '../contract.ts';
import type { Manifest, Writer } from '../export/manifest.ts';
import { exportedAt } from '../export/names.ts';

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
  return stored < epoch ? epoch + 1 : Math.max(stored, 1);
}

/** The last sequence that there was, also when the store has gone back to an earlier state. */
export const lastSequence = ({ sequence }: Pick<Manifest, 'sequence'>, site: Site): number =>
  Math.max(sequence, knownHere(site)?.sequence ?? 0);

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
