/** Which exports hold a volume, as far as anybody says. Pure. */
import type { PersistentVolumeSync, SyncSpec } from '../sync/contract.ts';
import type { ExportMark } from './model.ts';

/** The newest export of a sync, and what is said to be in it. */
export interface NewestExport extends ExportMark {
  readonly mode: SyncSpec['mode'];
  readonly named: ReadonlySet<string>;
  /** All of it is named. A sync names a hundred at most. */
  readonly isNamedInFull: boolean;
}

export const newestExports = (syncs: Iterable<PersistentVolumeSync>): readonly NewestExport[] =>
  [...syncs].flatMap(({ metadata, spec, status = {} }): NewestExport[] => {
    const { export: newest, managedVolumes, managedVolumeCount = Number.POSITIVE_INFINITY } = status;
    if (!newest) return [];
    return [
      {
        sync: metadata.name ?? '',
        key: newest.key,
        exportedAt: newest.exportedAt,
        mode: spec.mode,
        named: new Set(managedVolumes),
        isNamedInFull: (managedVolumes?.length ?? 0) >= managedVolumeCount,
      },
    ];
  });

export interface Exportable {
  readonly name: string;
  readonly createdAt: string;
  /** By its label. */
  readonly isToBeExported: boolean;
  /** The sync that has restored it. */
  readonly restoredFor?: string;
}

/** What is not named may be in an export, if not all of it is named: what was made after it cannot be. */
export function holds(newest: NewestExport, volume: Exportable): boolean {
  const { name, createdAt, isToBeExported, restoredFor } = volume;
  const isNamed = newest.named.has(name);
  if (newest.mode === 'Recovery') return restoredFor === newest.sync && (isNamed || !newest.isNamedInFull);
  if (isNamed || restoredFor !== undefined) return restoredFor === undefined;
  return isToBeExported && !newest.isNamedInFull && Date.parse(newest.exportedAt) > Date.parse(createdAt);
}
