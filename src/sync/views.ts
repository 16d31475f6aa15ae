/** What the caches keep for sync: the resources, and of volumes, claims, classes and namespaces what exporting and restoring need. */
import { NAMESPACES } from '../api/namespaces.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { STORAGE_CLASSES, type StorageClass } from '../api/storage-classes.ts';
import type { Caches } from '../kit/cache/caches.ts';
import type { View } from '../kit/cache/store.ts';
import { PERSISTENT_VOLUME_SYNCS, type PersistentVolumeSync } from './contract.ts';
import { type Captured, captured } from './export/document.ts';
import {
  CLAIM_INDEXES,
  type LocalClaim,
  type LocalNamespace,
  type LocalVolume,
  projectClaim,
  projectNamespace,
  projectVolume,
  VOLUME_INDEXES,
} from './recover/local.ts';

export interface SyncViews {
  readonly syncs: View<PersistentVolumeSync>;
  readonly volumes: View<LocalVolume, 'recovery' | 'tied' | 'source'>;
  readonly claims: View<LocalClaim, 'recovery' | 'tied'>;
  readonly classes: View<LocalClass>;
  readonly namespaces: View<LocalNamespace>;
}

/** All of them are exported. */
export interface LocalClass {
  readonly captured: Captured;
  readonly expands: boolean;
}

export const syncViews = (source: Pick<Caches, 'view'>): SyncViews => ({
  syncs: source.view(PERSISTENT_VOLUME_SYNCS, { project: projectSync }),
  volumes: source.view(PERSISTENT_VOLUMES, { project: projectVolume, indexes: VOLUME_INDEXES }),
  claims: source.view(PERSISTENT_VOLUME_CLAIMS, { project: projectClaim, indexes: CLAIM_INDEXES }),
  classes: source.view(STORAGE_CLASSES, { project: projectClass }),
  namespaces: source.view(NAMESPACES, { project: projectNamespace }),
});

function projectSync(sync: PersistentVolumeSync): PersistentVolumeSync {
  const { managedFields: _, ...metadata } = sync.metadata;
  return { ...sync, metadata };
}

const projectClass = (storageClass: StorageClass): LocalClass => ({
  captured: captured(STORAGE_CLASSES, storageClass),
  expands: storageClass.allowVolumeExpansion === true,
});
