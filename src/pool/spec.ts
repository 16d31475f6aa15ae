/** What the pool controller reads and writes: its rights are made from this. */
import { TOLD_EVENTS } from '../api/events.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { POD_DISRUPTION_BUDGETS } from '../api/pod-disruption-budgets.ts';
import { PODS } from '../api/pods.ts';
import { SECRETS } from '../api/secrets.ts';
import { SERVICES } from '../api/services.ts';
import { STATEFUL_SETS } from '../api/stateful-sets.ts';
import { STORAGE_CLASSES } from '../api/storage-classes.ts';
import { CACHED, type ControllerSpec } from '../kit/manifests/controller-spec.ts';
import { poolGuards } from './admission.ts';
import { PV_POOLS } from './contract.ts';

const CACHED_KINDS = [
  PV_POOLS,
  STATEFUL_SETS,
  SERVICES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  PERSISTENT_VOLUME_CLAIMS,
  STORAGE_CLASSES,
];

/** Past the cache, before what cannot be taken back. */
const LOOKED_AT = [PV_POOLS, STATEFUL_SETS, PERSISTENT_VOLUME_CLAIMS, SECRETS];

/** Pools are in any namespace, and so are the Secrets of their tokens: each is read by its name, and none are listed. */
export const poolSpec: ControllerSpec = {
  name: 'pool',
  runs: 'cluster',
  reads: [
    ...CACHED_KINDS.map((resource) => ({ resource, verbs: CACHED })),
    ...LOOKED_AT.map((resource) => ({ resource, verbs: ['get'] as const })),
    { resource: TOLD_EVENTS, verbs: ['list'] },
  ],
  writes: [
    { resource: PV_POOLS, verbs: ['patch'] },
    { resource: PV_POOLS, subresource: 'status', verbs: ['patch'] },
    // Some clusters want this of whoever says that an owner has to wait for what it owns.
    { resource: PV_POOLS, subresource: 'finalizers', verbs: ['update'] },
    { resource: STATEFUL_SETS, verbs: ['create', 'update', 'patch'] },
    { resource: SERVICES, verbs: ['create'] },
    { resource: POD_DISRUPTION_BUDGETS, verbs: ['create'] },
    { resource: SECRETS, verbs: ['create'] },
    { resource: PERSISTENT_VOLUME_CLAIMS, verbs: ['patch', 'delete'] },
  ],
  guards: poolGuards,
};
