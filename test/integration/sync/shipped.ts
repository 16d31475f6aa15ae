/** What is put into a cluster before the operator of sync, as it is shipped, and resources to try it on. */
import type { PersistentVolumeSync, SyncSpec } from '../../../src/sync/contract.ts';
import type { ControlPlane } from '../../harness/control-plane.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { addKind } from '../kinds.ts';

export const SYNCS = '/apis/storage.cndev.nl/v1alpha1/persistentvolumesyncs';

/** As the server gives it. */
export type RawSync = RawObject & PersistentVolumeSync & { readonly metadata: RawObject['metadata'] };

export const addSyncs = (plane: ControlPlane): Promise<void> =>
  addKind(plane, 'persistentvolumesyncs.storage.cndev.nl', SYNCS);

export const aSync = (name: string, spec: Partial<SyncSpec> = {}) => ({
  apiVersion: 'storage.cndev.nl/v1alpha1',
  kind: 'PersistentVolumeSync',
  metadata: { name },
  spec: { protectedCluster: 'mylocalcluster', mode: 'Protected', cloudProvider: 's3', retention: 5, ...spec },
});
