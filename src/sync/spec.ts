/** What the sync controller reads and writes: its rights are made from this. */
import { KUBE_SYSTEM, NAMESPACES } from '../api/namespaces.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { STORAGE_CLASSES } from '../api/storage-classes.ts';
import { CACHED, type ControllerSpec } from '../kit/manifests/controller-spec.ts';
import { onlyOneSync } from './admission.ts';
import { PERSISTENT_VOLUME_SYNCS } from './contract.ts';

const CACHED_KINDS = [
  PERSISTENT_VOLUME_SYNCS,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  STORAGE_CLASSES,
  NAMESPACES,
];

export const syncSpec: ControllerSpec = {
  name: 'sync',
  runs: 'cluster',
  reads: [
    ...CACHED_KINDS.map((resource) => ({ resource, verbs: CACHED })),
    { resource: NAMESPACES, verbs: ['get'], names: [KUBE_SYSTEM] },
    // What has changed under our hands is looked at before it is written again.
    ...[PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS].map((resource) => ({ resource, verbs: ['get'] as const })),
  ],
  writes: [
    { resource: PERSISTENT_VOLUME_SYNCS, verbs: ['patch'] },
    { resource: PERSISTENT_VOLUME_SYNCS, subresource: 'status', verbs: ['patch'] },
    { resource: PERSISTENT_VOLUMES, verbs: ['create', 'patch', 'delete'] },
    { resource: PERSISTENT_VOLUME_CLAIMS, verbs: ['create', 'patch', 'delete'] },
    { resource: NAMESPACES, verbs: ['create'] },
  ],
  singletons: [onlyOneSync],
};
